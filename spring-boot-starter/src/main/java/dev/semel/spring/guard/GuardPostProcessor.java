package dev.semel.spring.guard;

import dev.semel.guard.Guard;
import java.util.function.Supplier;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/**
 * Puts the guard around annotated methods of beans. It comes after the advice that a bean has already, so that a method
 * that is also {@code @Transactional} is guarded inside its transaction: record and writes commit together.
 */
public final class GuardPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    private final transient GuardedMethods methods = new GuardedMethods();

    /**
     * Creates the post-processor.
     *
     * @param guard the guard; asked for with the first guarded call
     * @param transactions the transactions that guarded calls join
     */
    public GuardPostProcessor(Supplier<Guard> guard, Supplier<GuardTransactions> transactions) {
        this.advisor = new DefaultPointcutAdvisor(methods, new GuardInterceptor(methods, guard, transactions));
        setProxyTargetClass(true);
    }

    /** {@return whether a bean that was created so far has an annotated method} */
    public boolean isUsed() {
        return !methods.areNone();
    }
}
