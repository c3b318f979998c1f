package dev.semel.s3.objects;

import java.time.Instant;

/**
 * An object as a list shows it.
 *
 * @param name the name, relative to the prefix of the store
 * @param size how many bytes it has
 * @param storedAt when the service stored it, by the service's clock
 */
public record ListedObject(String name, long size, Instant storedAt) {}
