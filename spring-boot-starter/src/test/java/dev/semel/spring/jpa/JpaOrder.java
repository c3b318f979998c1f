package dev.semel.spring.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order, as an entity. */
@Entity
@Table(name = "jpa_orders")
class JpaOrder {

    @Id
    private String id;

    @Column(unique = true)
    private String number;

    /** For Hibernate. */
    protected JpaOrder() {}

    JpaOrder(String id, String number) {
        this.id = id;
        this.number = number;
    }

    String id() {
        return id;
    }

    String number() {
        return number;
    }
}
