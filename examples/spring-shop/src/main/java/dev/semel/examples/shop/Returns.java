package dev.semel.examples.shop;

import dev.semel.examples.shop.Welcoming.Letter;
import dev.semel.spring.WorkflowCode;
import dev.semel.workflow.Flow;
import dev.semel.workflow.WorkflowType;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Parcels that customers send back. */
// snippet: workflow
@Configuration(proxyBeanMethods = false)
class Returns {

    record Parcel(String order, String address) {}

    static final WorkflowType<Parcel, String> RETURN = WorkflowType.of("return_parcel", Parcel.class, String.class);

    @Bean
    WorkflowType<Parcel, String> returnParcel() {
        return RETURN;
    }

    @WorkflowCode("return_parcel")
    String receive(Flow flow, Parcel parcel) {
        flow.run(Welcoming.SEND, new Letter(parcel.address(), "send it back within 30 days"));
        boolean arrived =
                flow.signal("arrived", Boolean.class, Duration.ofDays(30)).orElse(false);
        return arrived ? "refunded" : "expired";
    }
}
// end
