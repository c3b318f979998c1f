package dev.semel.cli;

import dev.semel.server.http.TokenScope;
import dev.semel.server.token.Token;
import dev.semel.server.token.TokenFile;
import dev.semel.task.InvalidInput;
import dev.semel.task.Limits;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Creates, lists and revokes the tokens of a server. */
final class TokenCommand {

    private static final String TOKENS = "--tokens";
    private static final String USUAL_FILE = "semel-tokens.json";

    private TokenCommand() {}

    static CommandSpec spec() {
        CommandSpec spec = Options.group(
                "Creates, lists and revokes tokens of a server: create, list, revoke.",
                "semel token create billing --scope submit --tenant acme",
                "semel token list",
                "semel token revoke 4f0c2a9be1d3");
        spec.addSubcommand("create", new Create().spec());
        spec.addSubcommand("list", new ListTokens().spec());
        spec.addSubcommand("revoke", new Revoke().spec());
        return spec;
    }

    static CommandSpec withFile(CommandSpec spec) {
        return spec.addOption(Options.value(
                TOKENS,
                "FILE",
                "The file of tokens. Default: the configured one, or else " + USUAL_FILE
                        + " in the working directory."));
    }

    static TokenFile file(Invocation invocation) {
        return new TokenFile(Path.of(invocation.text(TOKENS, USUAL_FILE)), InstantSource.system());
    }

    private static JsonText json(Token token) {
        return new JsonText()
                .put("id", token.id())
                .put("name", token.name())
                .put("tenant", token.tenant())
                .put("scopes", words(token))
                .put("created_at", token.createdAt())
                .put("expires_at", token.expiresAt());
    }

    private static List<String> words(Token token) {
        return token.scopes().stream().sorted().map(TokenScope::word).toList();
    }

    private static final class Create implements Command {

        @Override
        public CommandSpec spec() {
            return withFile(Options.command(
                            this,
                            "Creates a token and prints its secret, once.",
                            "The file keeps only a hash of it. With --tenant the token sees that tenant and no other; without, it is"
                                    + " an operator's token for all tenants.",
                            "semel token create billing --scope submit --tenant acme --expires 90d",
                            "semel token create operator --scope read --scope admin --json"))
                    .addPositional(Options.position(0, "NAME", "Who will use it, for logs."))
                    .addOption(Options.completed(
                            Options.repeated(
                                    "--scope", "SCOPE", "What it allows: submit, work, read, admin. May be repeated."),
                            List.of("submit", "work", "read", "admin")))
                    .addOption(Options.value("--expires", "DURATION", "How long it is valid. Default: for ever."));
        }

        @Override
        public int run(Invocation invocation) {
            Set<TokenScope> scopes = EnumSet.noneOf(TokenScope.class);
            invocation.texts("--scope").forEach(word -> scopes.add(scope(word)));
            TokenFile.Created created = file(invocation)
                    .create(invocation.position(0), invocation.tenant(), scopes, invocation.duration("--expires"));
            invocation
                    .console()
                    .out()
                    .println(
                            invocation.json()
                                    ? json(created.token())
                                            .put("token", created.secret())
                                            .toString()
                                    : created.secret());
            if (!invocation.json()) {
                invocation
                        .console()
                        .err()
                        .println("Token " + created.token().id()
                                + " was created. Its secret is not stored and not shown again.");
            }
            return ExitCode.DONE;
        }

        private static TokenScope scope(String word) {
            return Stream.of(TokenScope.values())
                    .filter(scope -> scope.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new InvalidInput("Option --scope takes submit, work, read or admin, but got \""
                            + Limits.shown(word) + "\"."));
        }
    }

    private static final class ListTokens implements Command {

        @Override
        public CommandSpec spec() {
            return withFile(
                    Options.command(this, "Lists tokens, without their secrets.", "", "semel token list --json"));
        }

        @Override
        public int run(Invocation invocation) {
            List<Token> tokens = file(invocation).list();
            if (invocation.json()) {
                tokens.forEach(token -> invocation.console().out().println(json(token)));
                return ExitCode.DONE;
            }
            Table table = new Table("!ID", "NAME", "TENANT", "SCOPES", "EXPIRES");
            for (Token token : tokens) {
                table.add(
                        token.id(),
                        token.name(),
                        token.tenant() == null ? "all" : token.tenant(),
                        String.join(",", words(token)),
                        token.expiresAt() == null ? "never" : Text.time(token.expiresAt()));
            }
            table.print(invocation.console());
            return ExitCode.DONE;
        }
    }

    private static final class Revoke implements Command {

        @Override
        public CommandSpec spec() {
            return withFile(Options.command(
                            this,
                            "Revokes a token. Servers refuse it within a second.",
                            "",
                            "semel token revoke 4f0c2a9be1d3"))
                    .addPositional(Options.position(0, "ID", "The id that create and list printed."));
        }

        @Override
        public int run(Invocation invocation) {
            String id = invocation.position(0);
            if (!file(invocation).revoke(id)) {
                throw new Refusal(
                        ExitCode.NOT_FOUND,
                        "TokenNotFound",
                        "There is no token \"" + Text.shown(id) + "\". \"semel token list\" shows all.");
            }
            invocation
                    .console()
                    .out()
                    .println(
                            invocation.json()
                                    ? new JsonText()
                                            .put("id", id)
                                            .put("revoked", true)
                                            .toString()
                                    : "Token " + id + " was revoked.");
            return ExitCode.DONE;
        }
    }
}
