import dev.semel.generated.api.DefaultApi;
import dev.semel.generated.invoker.ApiClient;
import dev.semel.generated.invoker.ApiException;
import dev.semel.generated.model.Claim;
import dev.semel.generated.model.Submission;
import dev.semel.generated.model.Submitted;
import dev.semel.generated.model.Task;
import java.util.List;
import java.util.Map;

/** Uses a generated client: submits twice, claims, completes, reads, and gets a conflict. */
public final class Trial {

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + arguments[1]));
        DefaultApi api = new DefaultApi(client);

        Submission submission = new Submission().type("charge").queue("payments").input(Map.of("order", "ORD-123"));
        Submitted first = api.postTasks(submission, "charge-ORD-123", null);
        Submitted second = api.postTasks(submission, "charge-ORD-123", null);
        check(first.getCreated() && !second.getCreated(), "the second submission creates nothing");
        check(first.getTaskId().equals(second.getTaskId()), "both have the same task");

        Map<String, Object> claims = api.postClaims(new Claim().queues(List.of("payments")).wait("5s"));
        Map<?, ?> claimed = (Map<?, ?>) ((List<?>) claims.get("tasks")).get(0);
        check(claimed.get("task_id").equals(first.getTaskId()), "the task is claimed");
        api.postLeasesLeaseComplete((String) claimed.get("lease"), Map.of("paid", true));

        Task task = api.getTasksId(first.getTaskId());
        check(task.getState().equals("completed"), "the task is completed");
        Map<String, Object> result = api.getTasksIdResult(first.getTaskId(), "5s");
        check(result.get("result").equals(Map.of("paid", true)), "its result is read");

        try {
            api.postTasks(submission.input(Map.of("order", "ORD-124")), "charge-ORD-123", null);
            check(false, "another input under the same key is a conflict");
        } catch (ApiException e) {
            check(e.getCode() == 422 && e.getResponseBody().contains("idempotency-conflict"), "the conflict is a problem");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("Expected that " + what);
        }
    }
}
