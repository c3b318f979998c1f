package dev.semel.spring.guard;

import dev.semel.guard.Guard;
import dev.semel.guard.GuardCall;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.Connection;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Runs an annotated method by the guard, inside the transaction of the caller if there is one. */
final class GuardInterceptor implements MethodInterceptor {

    private final GuardedMethods methods;
    private final Supplier<Guard> guard;
    private final Supplier<GuardTransactions> transactions;

    GuardInterceptor(GuardedMethods methods, Supplier<Guard> guard, Supplier<GuardTransactions> transactions) {
        this.methods = methods;
        this.guard = guard;
        this.transactions = transactions;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis());
        GuardedMethod method =
                Objects.requireNonNull(methods.of(invocation.getMethod(), AopUtils.getTargetClass(target)));
        Optional<Connection> open = transactions.get().connection("The @Idempotent method \"" + method.name() + "\"");
        Guard by = open.map(guard.get()::joining).orElseGet(guard);
        GuardCall call = by.call(method.key(target, invocation.getArguments())).type(method.name());
        if (method.ttl() != null) {
            call.ttl(method.ttl());
        }
        Object payload = method.payload(target, invocation.getArguments());
        if (payload != null) {
            call.payload(payload);
        }
        return run(call, method.result(), invocation);
    }

    @SuppressWarnings("NullAway") // a result may be null, whatever its class
    private static <T> @Nullable Object run(GuardCall call, Class<T> type, MethodInvocation invocation)
            throws Exception {
        return call.<T, Exception>once(type, token -> {
            try {
                @SuppressWarnings("unchecked") // the method returns an object of its own class
                T result = (T) invocation.proceed();
                return result;
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new UndeclaredThrowableException(e);
            }
        });
    }
}
