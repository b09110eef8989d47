package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/console"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/search"
)

// completionCommand prints what a shell reads to complete commands, flags and their values.
type completionCommand struct {
	Shell   string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
	Program string `help:"Path of the program that the shell runs. Default: this one." placeholder:"FILE"`
}

// completionScripts have a place for the path of the program. The shell runs the program with the
// line in COMP_LINE.
var completionScripts = map[string]string{
	"bash": "complete -o default -o bashdefault -C %[1]s tapedeck\n",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -o bashdefault -C %[1]s tapedeck\n",
	"fish": `function __tapedeck_complete
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct); and set COMP_LINE "$COMP_LINE "
    %[1]s
end
complete -c tapedeck -a "(__tapedeck_complete)"
`,
}

// Help says where the script goes.
func (completionCommand) Help() string {
	return `Add one of these lines to the file of the shell:

    source <(tapedeck completion bash)      # ~/.bashrc
    source <(tapedeck completion zsh)       # ~/.zshrc
    tapedeck completion fish | source       # ~/.config/fish/config.fish

Ids of sessions come from the server, which has 2 seconds to answer. TAPEDECK_COMPLETION_TIMEOUT=5s gives it longer.
`
}

// Run prints the script.
func (c *completionCommand) Run() error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	program = cmp.Or(c.Program, program)
	_, err = fmt.Printf(completionScripts[c.Shell], console.ShellWord(program))
	return err
}

// completeLine answers a shell that asks for completions, and ends the process. It returns if no
// shell asks.
func completeLine(parser *kong.Kong) {
	line := os.Getenv("COMP_LINE")
	if line == "" {
		return
	}
	if point, err := strconv.Atoi(os.Getenv("COMP_POINT")); err == nil && point >= 0 && point < len(line) {
		line = line[:point] // what is before the cursor
	}
	line, typed := takeFlags(line, parser.Model.Flags)
	if os.Setenv("COMP_LINE", line) != nil || os.Unsetenv("COMP_POINT") != nil {
		return
	}
	predictSessions := func(a complete.Args) []string { return sessionsBeginning(a.Last, typed) }
	kongcompletion.Register(parser, kongcompletion.WithExitFunc(os.Exit),
		kongcompletion.WithPredictors(map[string]complete.Predictor{
			"session": complete.PredictFunc(predictSessions), "file": complete.PredictFiles("*"),
			"dialect":      complete.PredictFunc(predictDialects),
			"usage-groups": complete.PredictSet(usagereport.Groupings...),
			"call-groups":  complete.PredictSet(modelcalls.Groupings...),
			"tool-groups":  complete.PredictSet(toolreport.Groupings...),
			"granularity":  oneOf(grouping.Granularities),
			"status":       oneOf(sessionhead.Statuses),
			"text-kind":    oneOf(search.Kinds),
			"text-role":    oneOf(search.Roles),
		}))
}

// oneOf predicts names.
func oneOf[T ~string](names []T) complete.Predictor {
	set := make([]string, len(names))
	for i, n := range names {
		set[i] = string(n)
	}
	return complete.PredictSet(set...)
}

// predictDialects returns the names of the dialects that are built in.
func predictDialects(complete.Args) []string {
	var names []string
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	return names
}

// completionTimeout bounds the request for sessions, unless completionTimeoutVariable sets another duration.
const (
	completionTimeout         = 2 * time.Second
	completionTimeoutVariable = "TAPEDECK_COMPLETION_TIMEOUT"
)

// takeFlags removes those flags of every command from a line that have a value and are followed by more, and returns
// their values by name: the library for completion takes their values for arguments.
func takeFlags(line string, flags []*kong.Flag) (string, map[string]string) {
	words, typed := strings.Split(line, " "), map[string]string{}
	rest := words[:0:0]
	for i := 0; i < len(words); i++ {
		name, value, hasValue := strings.Cut(strings.TrimPrefix(words[i], "--"), "=")
		known := slices.ContainsFunc(flags, func(f *kong.Flag) bool { return f.Name == name && !f.IsBool() })
		switch {
		case !strings.HasPrefix(words[i], "--") || !known:
			rest = append(rest, words[i])
		case hasValue && i+1 < len(words):
			typed[name] = value
		case !hasValue && i+2 < len(words):
			i++
			typed[name] = words[i]
		default: // its value is being typed
			rest = append(rest, words[i])
		}
	}
	return strings.Join(rest, " "), typed
}

// sessionsBeginning returns the ids of the newest sessions that begin with a word, from the server that the typed flags
// or the environment name. Errors are not shown, since a person is typing.
func sessionsBeginning(word string, typed map[string]string) []string {
	timeout, err := time.ParseDuration(os.Getenv(completionTimeoutVariable))
	if err != nil || timeout <= 0 {
		timeout = completionTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	g := global{Server: withScheme(cmp.Or(typed["server"], os.Getenv("TAPEDECK_SERVER"), defaultServer)),
		Token:    cmp.Or(typed["token"], os.Getenv("TAPEDECK_TOKEN")),
		AsTenant: cmp.Or(typed["as-tenant"], os.Getenv("TAPEDECK_TENANT"))}
	g.TokenFile = cmp.Or(typed["token-file"], os.Getenv("TAPEDECK_TOKEN_FILE"))
	client, err := g.client()
	if err != nil {
		return nil
	}
	q := url.Values{"limit": {"100"}}
	setAll(q, map[string][]string{"q": {word}})
	var page struct {
		Items []struct {
			ID string `json:"id"`
		} `json:"items"`
	}
	if client.Get(ctx, "v1/sessions", q, &page) != nil {
		return nil
	}
	ids := make([]string, 0, len(page.Items))
	for _, s := range page.Items {
		if strings.HasPrefix(s.ID, word) && console.ShellWord(s.ID) == s.ID {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
