package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/alertfollow"
	"tapedeck/internal/app/command/alerttest"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/command/tapecopy"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/report/grouping"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/replay"
)

// alertsCommand checks and tries the rules of alerts, and lists alerts.
type alertsCommand struct {
	List  alertsList  `cmd:"" default:"withargs" help:"List alerts, the latest first."`
	Check alertsCheck `cmd:"" help:"Check a file of rules."`
	Test  alertsTest  `cmd:"" help:"List the alerts that rules would have had during a recording."`
}

type alertsList struct {
	Session string   `arg:"" optional:"" predictor:"session" help:"Only of this session."`
	Rule    []string `help:"Only of this rule; may be repeated." placeholder:"NAME"`
	Per     string   `help:"Only of budgets per this: tenant, or tag:NAME." placeholder:"WHAT"`
	Value   string   `help:"Only of budgets of this value of a tag." placeholder:"VALUE"`
	State   string   `help:"Only those that are open, or that ended: open or ended." placeholder:"STATE"`
	From    timeFlag `help:"Begun at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To      timeFlag `help:"Begun before this time." placeholder:"TIME" aliases:"until"`
	Limit   int      `help:"How many at most." default:"50" short:"n"`
	Follow  bool     `help:"Print the open alerts, and then each begin and end as it happens, until Ctrl-C." short:"f"`
}

// alertsAtOnce is the largest page of GET /v1/alerts.
const alertsAtOnce = 500

// Run lists the alerts.
func (c *alertsList) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	setAll(q, map[string][]string{"session": {c.Session}, "rule": c.Rule, "per": {c.Per}, "value": {c.Value}, "state": {c.State}, "from": {c.From.utc()}, "to": {c.To.utc()}})
	if c.Follow {
		return c.follow(ctx, g, q)
	}
	server, err := g.reader()
	if err != nil {
		return err
	}
	if err := checkSessions(ctx, server, c.Session); err != nil {
		return err
	}
	t := printers.NewAlertTable(os.Stdout)
	shown, next, err := list(ctx, g, "v1/alerts", q, c.Limit, alertsAtOnce, func(a *evaluate.Alert) { t.Add(a) })
	if err != nil || g.JSON {
		return err
	}
	if shown == 0 {
		fmt.Fprintln(os.Stderr, "No alert.")
		return nil
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if next != nil {
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or narrow the list with --rule, --state, --from\n", 10*c.Limit)
	}
	return nil
}

// follow prints alerts as they begin and end.
func (c *alertsList) follow(ctx context.Context, g *global, q url.Values) error {
	server, err := g.client()
	if err != nil {
		return err
	}
	f := &alertfollow.Follower{Client: server, Query: q, Notes: os.Stderr, Alert: func(text json.RawMessage) error {
		if g.JSON {
			_, err := fmt.Fprintf(console.Recorded(os.Stdout), "%s\n", text)
			return err
		}
		var a evaluate.Alert
		if err := json.Unmarshal(text, &a); err != nil {
			return fmt.Errorf("read an alert of the server: %w", err)
		}
		return printers.AlertLine(os.Stdout, &a)
	}}
	return f.Run(ctx)
}

type alertsCheck struct {
	File string `arg:"" type:"existingfile" help:"The file of rules (YAML)."`
}

type alertsTest struct {
	Recording string `arg:"" predictor:"session" help:"A tape file, which needs no server, or the id of a session."`
	Rules     string `help:"The file of rules (YAML)." required:"" type:"existingfile" placeholder:"FILE"`
	Of        string `help:"Which session of a tape file, where it holds several." name:"session" placeholder:"ID"`
	Fail      bool   `help:"Exit with 1 if there is an alert."`
}

// Run checks the rules.
func (c *alertsCheck) Run(g *global) error {
	rules, err := rule.ReadFile(c.File)
	if err != nil {
		return commandline.As(err)
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"rules": len(rules)})
	}
	fmt.Printf("%s: %s, no problem found\n", c.File, console.Count(int64(len(rules)), "rule"))
	return nil
}

// Run evaluates the rules on the clock of the recording.
func (c *alertsTest) Run(ctx context.Context, g *global) error {
	result, err := c.test(ctx, g)
	if err != nil {
		return commandline.As(err)
	}
	if g.JSON {
		err = json.NewEncoder(console.Recorded(os.Stdout)).Encode(result)
	} else {
		err = printers.AlertTest(os.Stdout, os.Stderr, result)
	}
	if err == nil && c.Fail && len(result.Alerts) > 0 {
		return exitCode(exitFailed)
	}
	return err
}

func (c *alertsTest) test(ctx context.Context, g *global) (*alerttest.Result, error) {
	rules, err := rule.ReadFile(c.Rules)
	if err != nil {
		return nil, err
	}
	tenant := cmp.Or(g.AsTenant, ingest.DefaultTenant)
	opts := alerttest.Options{Rules: rules, Tenant: tenant, Prices: prices.Standard()}
	if !play.IsTape(c.Recording) {
		if c.Of != "" {
			return nil, commandline.Errorf("--session goes with a tape file, and %q is none", c.Recording)
		}
		if opts.Usual, err = earlierCalls(ctx, g, c.Recording); err != nil {
			return nil, err
		}
	}
	f, done, err := tapecopy.Open(ctx, c.Recording, g.client)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.Break(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Recording, err)
	}
	if opts.Session, err = play.OneSession(f, c.Recording, c.Of); err != nil {
		return nil, err
	}
	t, err := f.Tape(ctx, "", opts.Session)
	if errors.Is(err, replay.ErrNoSession) {
		return nil, fmt.Errorf("%s holds no frame of session %q", c.Recording, opts.Session)
	}
	if err != nil {
		return nil, err
	}
	return alerttest.Tape(ctx, t, opts)
}

// earlierCalls returns how long the calls of tools took in the 30 days before a session of the server.
func earlierCalls(ctx context.Context, g *global, session string) (map[string]evaluate.Usual, error) {
	server, err := g.client()
	if err != nil {
		return nil, err
	}
	var detail sessiondetail.Detail
	if err := server.Get(ctx, apiclient.SessionPath(session), nil, &detail); err != nil {
		return nil, err
	}
	var report struct {
		Items []struct {
			Tool  string   `json:"tool"`
			Timed int64    `json:"timed"`
			P99MS *float64 `json:"p99_ms"`
		} `json:"items"`
	}
	q := url.Values{
		"from": {detail.Started.Add(-toolreport.UsualRange).Format(time.RFC3339Nano)}, "to": {detail.Started.Format(time.RFC3339Nano)},
		"granularity": {string(grouping.Whole)},
	}
	if err := server.Get(ctx, "v1/tools", q, &report); err != nil {
		return nil, err
	}
	usual := map[string]evaluate.Usual{}
	for _, row := range report.Items {
		if row.P99MS != nil && row.Timed >= toolreport.UsualCalls {
			usual[row.Tool] = evaluate.Usual{Calls: row.Timed, P99: *row.P99MS * 1e6}
		}
	}
	return usual, nil
}
