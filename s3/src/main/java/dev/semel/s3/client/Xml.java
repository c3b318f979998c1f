package dev.semel.s3.client;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads the flat XML of answers, without document types and external entities. */
final class Xml {

    private final Map<String, String> fields = new LinkedHashMap<>();
    private final List<Map<String, String>> items = new ArrayList<>();

    private Xml() {}

    /**
     * Parses a document.
     *
     * @param bytes the document
     * @param item the name of the element that repeats; its children are collected for each
     * @return the texts of all elements by their names
     * @throws XMLStreamException if it is no such document
     */
    static Xml parse(byte[] bytes, String item) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        XMLStreamReader reader = factory.createXMLStreamReader(new ByteArrayInputStream(bytes));
        Xml xml = new Xml();
        Map<String, String> current = xml.fields;
        StringBuilder text = new StringBuilder();
        while (reader.hasNext()) {
            int event = reader.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                text.setLength(0);
                if (reader.getLocalName().equals(item)) {
                    current = new LinkedHashMap<>();
                    xml.items.add(current);
                }
            } else if (event == XMLStreamConstants.CHARACTERS) {
                text.append(reader.getText());
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                if (reader.getLocalName().equals(item)) {
                    current = xml.fields;
                } else {
                    current.putIfAbsent(reader.getLocalName(), text.toString().strip());
                }
                text.setLength(0);
            }
        }
        return xml;
    }

    String field(String name) {
        return fields.getOrDefault(name, "");
    }

    List<Map<String, String>> items() {
        return items;
    }
}
