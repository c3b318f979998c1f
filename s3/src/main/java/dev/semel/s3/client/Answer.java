package dev.semel.s3.client;

import dev.semel.s3.objects.Mark;
import dev.semel.s3.objects.RequestFailed;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/**
 * An answer of the service that says something about its request.
 *
 * @param what the method, for messages
 * @param status the HTTP status
 * @param headers the headers
 * @param body the body
 * @param code the error code; empty if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // lives for one call
record Answer(String what, int status, HttpHeaders headers, byte[] body, String code) {

    /** {@return the service's time} */
    Instant date() throws RequestFailed {
        return time("date");
    }

    Instant lastModified() throws RequestFailed {
        return time("last-modified");
    }

    private Instant time(String header) throws RequestFailed {
        String text = headers.firstValue(header).orElse("");
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
        } catch (DateTimeException e) {
            throw new RequestFailed("The service answered a " + what + " without a \"" + header + "\" header.", e);
        }
    }

    @Nullable
    Mark mark(String header) {
        return headers.firstValue(header).filter(Mark::isMark).map(Mark::new).orElse(null);
    }

    /** Returns the exception for a status that this request should not get. */
    RequestFailed unexpected() {
        return new RequestFailed(
                "The service answered a " + what + " with " + status + (code.isEmpty() ? "" : " " + code) + ".", null);
    }
}
