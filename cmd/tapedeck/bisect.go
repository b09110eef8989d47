package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/query/compare"
	"tapedeck/query/sessionhead"
)

// bisectCommand checks one condition on each of many sessions.
type bisectCommand struct {
	SessionTag []string `help:"Sessions with this tag: name=value, or name. Several must all match." placeholder:"K=V" sep:"none" required:""`
	Tool       string   `help:"Condition: the session calls this tool." placeholder:"NAME" xor:"question"`
	Fails      bool     `help:"Condition: the status of the session is error." xor:"question"`
	Text       string   `help:"Condition: a message contains this text." placeholder:"TEXT" xor:"question"`
	At         int      `help:"Condition: the session differs from the first one within N steps. Without a condition: at any step." placeholder:"N" xor:"question"`
	Words      bool     `help:"Count changed texts of answers as a difference, too. By default inputs and actions count."`
	From       string   `help:"Only sessions that started at this time or later: RFC 3339, a date, or now-24h." placeholder:"TIME"`
	To         string   `help:"Only sessions that started before this time." placeholder:"TIME"`
	Limit      int      `help:"How many sessions to check: the newest ones." default:"100" short:"n"`
}

// answered is a session with the result of the check.
type answered struct {
	SessionID string `json:"session_id"`
	Started   string `json:"started"`
	Does      bool   `json:"does"`
	Sentence  string `json:"sentence,omitempty"` // how it differs from the first
}

// bisection is the result for all sessions.
type bisection struct {
	Question string     `json:"question"`
	Sentence string     `json:"sentence"`
	Since    *string    `json:"since"`    // the first session that matches, if all later ones do; otherwise null
	Steady   bool       `json:"steady"`   // all sessions after the first match also match
	Sessions []answered `json:"sessions"` // in order of their start
}

// Run checks every session and prints the first from which on all match.
func (c *bisectCommand) Run(ctx context.Context, g *global) error {
	if c.At < 0 || c.Limit < 1 {
		return usage.Errorf("--at and -n take numbers from 1")
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	list, err := c.sessions(ctx, cl, nil)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		printNone("sessions", true)
		return nil
	}
	found := bisection{Question: c.question(), Sessions: list}
	if err := c.answer(ctx, cl, list); err != nil {
		return err
	}
	found.conclude()
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(&found)
	}
	return found.print()
}

func (c *bisectCommand) question() string {
	switch {
	case c.Tool != "":
		return "calls " + c.Tool
	case c.Fails:
		return "fails"
	case c.Text != "":
		return fmt.Sprintf("contains %q", c.Text)
	case c.At > 0:
		return "differs from the first within " + console.Count(c.At, "step")
	}
	return "differs from the first"
}

// sessions lists the newest sessions up to the limit, in order of their start.
func (c *bisectCommand) sessions(ctx context.Context, cl *apiclient.Client, more url.Values) ([]answered, error) {
	q := url.Values{"sort": {"-started"}}
	setAll(q, map[string][]string{"tag": colonTags(c.SessionTag), "from": {c.From}, "to": {c.To}})
	for name, values := range more {
		q[name] = values
	}
	var list []answered
	_, err := cl.Pages(ctx, "v1/sessions", q, c.Limit, sessionsAtOnce, func(text json.RawMessage) error {
		var s sessionhead.Summary
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("read the server's list of sessions: %w", err)
		}
		list = append(list, answered{SessionID: s.ID, Started: console.LocalTime(s.Started), Does: s.Status == sessionhead.Failed})
		return nil
	})
	slices.Reverse(list)
	return list, err
}

// answer sets Does of each session.
func (c *bisectCommand) answer(ctx context.Context, cl *apiclient.Client, list []answered) error {
	switch {
	case c.Fails:
		return nil // sessions has set it
	case c.Tool != "":
		with, err := c.sessions(ctx, cl, url.Values{"tool": {c.Tool}})
		if err != nil {
			return err
		}
		for i := range list {
			list[i].Does = slices.ContainsFunc(with, func(s answered) bool { return s.SessionID == list[i].SessionID })
		}
		return nil
	}
	for i := range list {
		var err error
		if c.Text != "" {
			list[i].Does, err = c.containsText(ctx, cl, list[i].SessionID)
		} else {
			err = c.differs(ctx, cl, list[0].SessionID, &list[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *bisectCommand) containsText(ctx context.Context, cl *apiclient.Client, session string) (bool, error) {
	messages, err := readTranscript(ctx, cl, session)
	for i := range messages {
		if strings.Contains(messages[i].Text, c.Text) {
			return true, nil
		}
	}
	return false, err
}

func (c *bisectCommand) differs(ctx context.Context, cl *apiclient.Client, first string, s *answered) error {
	var found compare.Comparison
	if err := cl.Get(ctx, "v1/compare", url.Values{"a": {first}, "b": {s.SessionID}, "brief": {"1"}}, &found); err != nil {
		return err
	}
	s.Does, s.Sentence = false, found.Summary.Sentence
	d := found.FirstDivergence
	if d == nil {
		return nil
	}
	differences := []*compare.First{d.Input, d.Action}
	if c.Words {
		differences = append(differences, d.Output)
	}
	for _, f := range differences {
		s.Does = s.Does || f != nil && (c.At == 0 || stepOf(f) <= c.At)
	}
	return nil
}

// stepOf returns the number of the step that differs, in the session that has it.
func stepOf(f *compare.First) int {
	if f.A != nil {
		return f.A.Number
	}
	return f.B.Number
}

// conclude summarises the results in a sentence.
func (b *bisection) conclude() {
	does, changes, first := 0, 0, -1
	for i := range b.Sessions {
		if b.Sessions[i].Does {
			does++
			if first < 0 {
				first = i
			}
		}
		if i > 0 && b.Sessions[i].Does != b.Sessions[i-1].Does {
			changes++
		}
	}
	n := len(b.Sessions)
	b.Steady = first < 0 || does == n-first
	switch {
	case does == 0:
		b.Sentence = fmt.Sprintf("None of %s %s.", console.Count(n, "session"), b.Question)
	case does == n:
		b.Since = &b.Sessions[0].SessionID
		b.Sentence = fmt.Sprintf("Every one of %s %s.", console.Count(n, "session"), b.Question)
	case b.Steady:
		b.Since = &b.Sessions[first].SessionID
		b.Sentence = fmt.Sprintf("Since %s, the %s of %s, every session %s.", b.Sessions[first].SessionID, ordinal(first+1), console.Count(n, "session"), b.Question)
	default:
		b.Sentence = fmt.Sprintf("There is no session since which every session %s: %d of %s match, with %s from one to the next. The first match is %s.",
			b.Question, does, console.Count(n, "session"), console.Count(changes, "change"), b.Sessions[first].SessionID)
	}
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

func (b *bisection) print() error {
	w := console.To(os.Stdout)
	fmt.Fprintln(w, b.Sentence)
	fmt.Fprintln(w)
	t := console.NewTable(os.Stdout, "session", "started", "match", "compared with the first")
	for i := range b.Sessions {
		s := &b.Sessions[i]
		mark := "no"
		if s.Does {
			mark = "yes"
		}
		t.Row(console.Clip(s.SessionID, 40), s.Started, mark, console.Clip(s.Sentence, 100))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := 1; i < len(b.Sessions); i++ {
		if a, s := b.Sessions[i-1], b.Sessions[i]; s.Does && !a.Does {
			fmt.Fprintf(w, "\nCompare it with the session before: tapedeck diff %s %s\n", console.SessionWord(a.SessionID), console.SessionWord(s.SessionID))
			break
		}
	}
	return nil
}
