// Command tapedeck records the event streams of AI agents, plays them back and
// reports what they used.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/internal/httplog"
	"tapedeck/internal/local/engine"
)

// cli is the command line: a struct for each command, each in its own file.
type cli struct {
	global

	Up          upCommand          `cmd:"" help:"Run everything in one process tree: NATS, ClickHouse, recorder, API and UI."`
	Serve       serveCommand       `cmd:"" help:"Run the same parts against real NATS and ClickHouse servers."`
	Record      recordCommand      `cmd:"" help:"Record a stream: a file, standard input, a command, an SSE or WebSocket URL."`
	Sync        syncCommand        `cmd:"" help:"Record the sessions that coding agents keep on this machine; --watch keeps recording."`
	Proxy       proxyCommand       `cmd:"" help:"Run a transparent proxy that records what passes."`
	Sessions    sessionsCommand    `cmd:"" help:"List sessions."`
	Show        showCommand        `cmd:"" help:"Show one session: runs, tools, tokens, messages."`
	Frames      framesCommand      `cmd:"" help:"List a session's frames."`
	Play        playCommand        `cmd:"" help:"Play a session at its original timing."`
	Emulate     emulateCommand     `cmd:"" help:"Put a session on a port of its own, speaking the protocol it was recorded from."`
	Export      exportCommand      `cmd:"" help:"Write sessions to a tape file, or in a format of other tools."`
	Import      importCommand      `cmd:"" help:"Record what is in a tape file."`
	Usage       usageCommand       `cmd:"" help:"Report token usage."`
	Tools       toolsCommand       `cmd:"" help:"Report tool calls: counts, errors, latencies."`
	Search      searchCommand      `cmd:"" help:"Find messages, thinking, calls and results of tools, and errors by their words."`
	Calls       callsCommand       `cmd:"" help:"Report calls of models: first tokens, rates, gaps, stalls, outcomes."`
	Diff        diffCommand        `cmd:"" help:"Compare two sessions step by step: the first difference, and time, tokens and cost."`
	Bisect      bisectCommand      `cmd:"" help:"Find the session since which a condition holds: a tool is called, the status is error, a message contains a text, the session differs from the first."`
	Prices      pricesCommand      `cmd:"" help:"List, show, check and import the prices of models."`
	Bills       billsCommand       `cmd:"" help:"Work with the bills of accounts."`
	Dialect     dialectCommand     `cmd:"" help:"Check and try a file that describes a protocol of your own."`
	Redecode    redecodeCommand    `cmd:"" help:"Derive the facts anew from stored frames."`
	Redact      redactCommand      `cmd:"" help:"Mask secrets in recorded sessions, or list those of a file."`
	Backup      backupCommand      `cmd:"" help:"Back up the installation, in full or what is new since another backup."`
	Restore     restoreCommand     `cmd:"" help:"Restore a backup into an empty installation, and compare every session."`
	Verify      verifyCommand      `cmd:"" help:"Check a backup: restore it aside and compare every session."`
	Migrate     migrateCommand     `cmd:"" help:"Update ClickHouse's tables."`
	Flush       flushCommand       `cmd:"" help:"Send recorded blocks that wait on disk for their server."`
	DeadLetters deadLettersCommand `cmd:"" help:"List, retry or drop blocks that could not be stored."`
	Tokens      tokensCommand      `cmd:"" help:"List, make and revoke the tokens of a server with --tokens."`
	Tenants     tenantsCommand     `cmd:"" help:"List the tenants of a server: their last frames, tokens and settings."`
	Share       shareCommand       `cmd:"" help:"List, make and revoke links that open a session to people without an account."`
	Audit       auditCommand       `cmd:"" help:"List who did what on a server."`
	Erase       eraseCommand       `cmd:"" help:"Erase sessions, all sessions with a value of a tag, or a tenant, completely."`
	Retention   retentionCommand   `cmd:"" help:"Show, set and preview how long recordings are kept."`
	Config      configCommand      `cmd:"" help:"Print and check the settings of a server."`
	Doctor      doctorCommand      `cmd:"" help:"Check the installation, and recorded usage."`
	Health      healthCommand      `cmd:"" help:"Ask a server whether it is alive, or with --ready whether it is ready; exit with 1 if not."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// global holds the flags that every command takes.
type global struct {
	Server   string `help:"The tapedeck server." default:"http://127.0.0.1:4600" env:"TAPEDECK_SERVER" placeholder:"URL"`
	Token    string `help:"Token to show to the server." env:"TAPEDECK_TOKEN" placeholder:"TOKEN"`
	AsTenant string `help:"The tenant of the request, for tokens of all tenants. Commands that record also have --tenant, which names the tenant of the recording." env:"TAPEDECK_TENANT" placeholder:"T"`
	trustFlags
	JSON bool `help:"Print machine-readable output." name:"json"`
}

const (
	exitFailed = 1
	exitUsage  = 2
)

// exitCode is an error that only sets the exit code of the process, without a message.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	engine.RunIfChild()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	httplog.Capture(stderrLog())
	parsed, err := newInvocation(ctx, args)
	if err == nil {
		err = parsed.context.Run()
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(console.To(os.Stderr), "tapedeck: %v\n", err)
	_, usage := errors.AsType[commandline.Error](err)
	refused, answered := errors.AsType[*apiclient.Error](err)
	if usage || answered && refused.Status == http.StatusBadRequest { // a parameter is invalid
		return exitUsage
	}
	return exitFailed
}
