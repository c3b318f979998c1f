package dev.semel.spring.jpa;

import org.springframework.data.jpa.repository.JpaRepository;

/** The orders. */
interface JpaOrders extends JpaRepository<JpaOrder, String> {}
