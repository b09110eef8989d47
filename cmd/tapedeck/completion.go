package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/console"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
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
	if os.Getenv("COMP_LINE") == "" {
		return
	}
	kongcompletion.Register(parser, kongcompletion.WithExitFunc(os.Exit),
		kongcompletion.WithPredictors(map[string]complete.Predictor{
			"session": complete.PredictFunc(predictSessions), "file": complete.PredictFiles("*"),
			"dialect":      complete.PredictFunc(predictDialects),
			"usage-groups": complete.PredictSet(usagereport.Groupings...),
			"call-groups":  complete.PredictSet(modelcalls.Groupings...),
			"tool-groups":  complete.PredictSet(toolreport.Groupings...),
		}))
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

// predictSessions returns the ids of the newest sessions that begin with the word. Errors are not
// shown, since a person is typing.
func predictSessions(a complete.Args) []string {
	timeout, err := time.ParseDuration(os.Getenv(completionTimeoutVariable))
	if err != nil || timeout <= 0 {
		timeout = completionTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	g := global{Server: withScheme(cmp.Or(os.Getenv("TAPEDECK_SERVER"), defaultServer)), Token: os.Getenv("TAPEDECK_TOKEN"),
		AsTenant: os.Getenv("TAPEDECK_TENANT")}
	g.TokenFile = os.Getenv("TAPEDECK_TOKEN_FILE")
	client, err := g.client()
	if err != nil {
		return nil
	}
	q := url.Values{"limit": {"100"}}
	setAll(q, map[string][]string{"q": {a.Last}})
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
		if strings.HasPrefix(s.ID, a.Last) && console.ShellWord(s.ID) == s.ID {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
