/**
 * Objects that are created if absent and never changed: what the stores on object storage are built on.
 *
 * <p><b>Two interfaces.</b> {@link dev.semel.s3.objects.ObjectService} is one request for each call, sent once, with every
 * fault that a network has. {@link dev.semel.s3.objects.ObjectStore} is what the stores see: its creations have a known
 * outcome. {@link dev.semel.s3.objects.RetryingObjectStore} is the step between them and the only place that sends a request
 * again. So a service that injects faults tests the same code that runs on a real one.
 *
 * <p><b>Unknown outcomes.</b> Answers of 409, 500 and 503, time-outs and cut connections do not say whether a write was
 * applied. The identical bytes are sent to the same name again. The service answers 412 if the first send was applied after
 * all; then the object is read, and its {@linkplain dev.semel.s3.objects.Mark mark} tells the author whether the write is its own.
 */
@NullMarked
package dev.semel.s3.objects;

import org.jspecify.annotations.NullMarked;
