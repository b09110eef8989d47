package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

// manCommand prints the manual page of the program, for its package.
type manCommand struct{}

const manDescription = `The program taps the streams of AI agents (NDJSON, server-sent events, WebSockets) while they run, keeps every frame with
the time at which it arrived, plays sessions at their own timing, and reports which tools ran, what failed, and what was used.
"tapedeck up" starts a server on this machine with everything inside. --help behind a command lists its flags with
their environment variables and defaults.`

const manFiles = `/etc/tapedeck/tapedeck.env has the settings of the services. /var/lib/tapedeck has their recordings, and
~/.local/share/tapedeck those of "tapedeck up". ~/.local/state/tapedeck has what could not be sent to a server yet. Guides are in
/usr/share/doc/tapedeck.`

// manDate matches the date in the first line of a page, which the library takes from the clock.
var manDate = regexp.MustCompile(`^(\.TH \S+ \d+ )"[^"]*"`)

// Run prints the page, in roff. Its date is that of SOURCE_DATE_EPOCH, if it is set, so that two
// builds of a commit are the same.
func (manCommand) Run(i *invocation) error {
	page := mangokong.NewManPage(1, i.parser.Model).WithLongDescription(manDescription).WithSection("Files", manFiles)
	text := page.Build(roff.NewDocument())
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		text = manDate.ReplaceAllString(text, fmt.Sprintf(`${1}"%s"`, time.Unix(epoch, 0).UTC().Format(time.DateOnly)))
	}
	_, err := fmt.Println(text)
	return err
}
