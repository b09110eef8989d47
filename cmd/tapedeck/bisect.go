package main

import (
	"context"
	"encoding/json"
	"net/url"
	"os"

	"tapedeck/internal/app/command/bisect"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
)

// bisectCommand checks one condition on each of many sessions.
type bisectCommand struct {
	Tag   []string `aliases:"session-tag" help:"Sessions with this tag: name=value, or name. Several must all match." placeholder:"K=V" sep:"none" required:""`
	Tool  string   `help:"Condition: the session calls this tool." placeholder:"NAME" xor:"question"`
	Fails bool     `help:"Condition: the status of the session is error." xor:"question"`
	Text  string   `help:"Condition: a message contains this text." placeholder:"TEXT" xor:"question"`
	At    int      `help:"Condition: the session differs from the first one within N steps. Without a condition: at any step." placeholder:"N" xor:"question"`
	Words bool     `help:"Count changed texts of answers as a difference, too. By default inputs and actions count."`
	From  timeFlag `help:"Only sessions that started at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To    timeFlag `help:"Only sessions that started before this time." placeholder:"TIME" aliases:"until"`
	Limit int      `help:"How many sessions to check: the newest ones." default:"100" short:"n"`
}

// Run checks every session and prints the first session from which on all match. It exits with 1 if
// no session matches, so that scripts can tell.
func (c *bisectCommand) Run(ctx context.Context, g *global) error {
	if c.At < 0 || c.Limit < 1 {
		return commandline.Errorf("--at and -n take numbers from 1")
	}
	if err := checkTags("--tag", c.Tag); err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	q := bisect.Question{Sessions: url.Values{}, Limit: c.Limit, Tool: c.Tool, Fails: c.Fails, Text: c.Text, At: c.At,
		Words: c.Words}
	setAll(q.Sessions, map[string][]string{"tag": colonTags(c.Tag), "from": {c.From.utc()}, "to": {c.To.utc()}})
	found, err := bisect.Find(ctx, cl, &q)
	if err != nil {
		return err
	}
	if found == nil {
		printNone("sessions", true)
		return exitCode(exitFailed)
	}
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(found)
	} else {
		err = printers.Bisection(os.Stdout, found)
	}
	if err == nil && !found.Any() {
		return exitCode(exitFailed)
	}
	return err
}
