// Command tapedeck records the event streams of AI agents, plays them back and
// reports what they used.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"tapedeck/internal/httplog"
	"tapedeck/internal/local/engine"
)

// cli is the command line: a struct for each command, each in its own file.
type cli struct {
	global

	Up     upCommand     `cmd:"" group:"record" help:"Run a server here, with its database, and its page."`
	Record recordCommand `cmd:"" group:"record" help:"Record a command, a file, standard input, a URL, NATS."`
	Sync   syncCommand   `cmd:"" group:"record" help:"Record the history of the coding agents on this machine."`
	Hooks  hooksCommand  `cmd:"" group:"record" help:"Record sessions of Claude Code or Codex when they end."`
	Proxy  proxyCommand  `cmd:"" group:"record" help:"Record what an application sends and receives."`
	Demo   demoCommand   `cmd:"" group:"record" help:"Print the output of a scripted agent, to record it."`
	Import importCommand `cmd:"" group:"record" help:"Record what is in a tape file."`
	Flush  flushCommand  `cmd:"" group:"record" help:"Send recorded blocks that wait on disk for their server."`

	Sessions sessionsCommand `cmd:"" group:"look" help:"List sessions."`
	Open     openCommand     `cmd:"" group:"look" help:"List what runs now, and since when."`
	Show     showCommand     `cmd:"" group:"look" help:"Show one session: runs, tools, tokens, messages."`
	Frames   framesCommand   `cmd:"" group:"look" help:"List the frames of a session."`
	Play     playCommand     `cmd:"" group:"look" help:"Play a session at its original timing."`
	Search   searchCommand   `cmd:"" group:"look" help:"Find what was said, called, returned, or failed."`
	Notes    notesCommand    `cmd:"" group:"look" help:"Write notes, labels and thumbs on sessions, and list them."`
	Alerts   alertsCommand   `cmd:"" group:"look" help:"Check and try rules of alerts, and list alerts."`
	Diff     diffCommand     `cmd:"" group:"look" help:"Compare two sessions step by step."`
	Bisect   bisectCommand   `cmd:"" group:"look" help:"Find the session since which a condition holds."`
	Assert   assertCommand   `cmd:"" group:"look" help:"Check conditions on a tape or a session, for CI."`

	Usage      usageCommand      `cmd:"" group:"report" help:"Report tokens and costs."`
	Tools      toolsCommand      `cmd:"" group:"report" help:"Report calls of tools: counts, errors, latencies."`
	Calls      callsCommand      `cmd:"" group:"report" help:"Report calls of models: first tokens, rates, stalls."`
	StatusLine statuslineCommand `cmd:"" group:"report" name:"statusline" help:"Print a status line for Claude Code, which runs it."`
	Prices     pricesCommand     `cmd:"" group:"report" help:"List, show, check, import and update prices."`
	Bills      billsCommand      `cmd:"" group:"report" help:"List, close, show, verify and export bills."`

	Export  exportCommand  `cmd:"" group:"share" help:"Write sessions to a tape, or in another format."`
	Archive archiveCommand `cmd:"" group:"share" help:"Copy tapes and charges to a directory or a bucket, again and again."`
	Forward forwardCommand `cmd:"" group:"share" help:"Send the spans of ended sessions to an OpenTelemetry collector."`
	Emulate emulateCommand `cmd:"" group:"share" help:"Serve a session as the server that it was recorded from."`
	MCP     mcpCommand     `cmd:"" group:"share" name:"mcp" help:"Give an agent tools that read recordings (MCP)."`
	Share   shareCommand   `cmd:"" group:"share" help:"Make links to sessions for people without an account."`

	Redecode  redecodeCommand  `cmd:"" group:"keep" help:"Derive the facts anew from stored frames."`
	Dialect   dialectCommand   `cmd:"" group:"keep" help:"Check and try a file that describes a protocol."`
	Redact    redactCommand    `cmd:"" group:"keep" help:"Mask secrets in recorded sessions, or list them."`
	Erase     eraseCommand     `cmd:"" group:"keep" help:"Erase sessions, the sessions of a tag, or a tenant."`
	Retention retentionCommand `cmd:"" group:"keep" help:"Show, set and preview how long data is kept."`

	Serve       serveCommand       `cmd:"" group:"operate" help:"Run a server beside NATS and ClickHouse servers."`
	Migrate     migrateCommand     `cmd:"" group:"operate" help:"Update ClickHouse's tables."`
	Config      configCommand      `cmd:"" group:"operate" help:"Print and check the settings of a server."`
	Doctor      doctorCommand      `cmd:"" group:"operate" help:"Check the installation, and recorded usage."`
	Health      healthCommand      `cmd:"" group:"operate" help:"Ask whether a server is alive, or ready."`
	DeadLetters deadLettersCommand `cmd:"" group:"operate" help:"List, retry or drop blocks that were not stored."`
	Backup      backupCommand      `cmd:"" group:"operate" help:"Make, list and prune backups."`
	Verify      verifyCommand      `cmd:"" group:"operate" help:"Check a backup by restoring it aside."`
	Restore     restoreCommand     `cmd:"" group:"operate" help:"Restore a backup into an empty installation."`
	Tokens      tokensCommand      `cmd:"" group:"operate" help:"List, make and revoke tokens."`
	Tenants     tenantsCommand     `cmd:"" group:"operate" help:"List the tenants of a server."`
	Audit       auditCommand       `cmd:"" group:"operate" help:"List who did what on a server."`
	Version     versionCommand     `cmd:"" group:"operate" help:"Print the version."`
	Completion  completionCommand  `cmd:"" group:"operate" help:"Print what a shell reads to complete commands."`
	Man         manCommand         `cmd:"" group:"operate" hidden:"" help:"Print the manual page."`
	Flags       flagsCommand       `cmd:"" group:"operate" hidden:"" help:"The flags that every command takes."`
}

// global holds the flags that every command takes.
type global struct {
	Server       string `help:"The tapedeck server." default:"http://127.0.0.1:4600" env:"TAPEDECK_SERVER" placeholder:"URL"`
	RecordServer string `help:"The server that takes recordings, if another one than --server does." env:"TAPEDECK_RECORD_SERVER" placeholder:"URL"`
	Token        string `help:"Token to show to the server." env:"TAPEDECK_TOKEN" placeholder:"TOKEN"`
	AsTenant     string `help:"The tenant of the request, for tokens of all tenants. Commands that record also have --tenant, which names the tenant of the recording." env:"TAPEDECK_TENANT" placeholder:"T"`
	trustFlags
	JSON bool `help:"Print machine-readable output." name:"json"`
}

// defaultServer is the server that "tapedeck up" starts, and the default of --server.
const defaultServer = "http://127.0.0.1:4600"

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
	return reportFailure(os.Stderr, err, wantsJSON(args))
}
