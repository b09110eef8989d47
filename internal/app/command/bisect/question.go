// Package bisect checks a condition on each of many sessions, and finds the session from which on
// it holds.
package bisect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/console"
	"tapedeck/query/compare"
	"tapedeck/query/facts/sessionhead"
)

// Question is a condition, and the sessions on which it is checked. Without Tool, Fails, Text and
// At the condition is that a session differs from the first one at any step.
type Question struct {
	Sessions url.Values // query parameters that select sessions
	Limit    int        // maximum number of sessions, the newest ones

	Tool  string // the session calls this tool
	Fails bool   // the status of the session is error
	Text  string // a message contains this text
	At    int    // the session differs from the first one within this many steps
	Words bool   // differences between texts of answers count as well
}

// Find checks every session. The result is nil if there are no sessions.
func Find(ctx context.Context, cl *apiclient.Client, q *Question) (*Result, error) {
	list, err := q.sessions(ctx, cl, "")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if err := q.answer(ctx, cl, list); err != nil {
		return nil, err
	}
	found := &Result{Question: q.Condition(), Sessions: list}
	found.conclude()
	return found, nil
}

// Condition returns the condition as the predicate of a sentence about a session.
func (q *Question) Condition() string {
	switch {
	case q.Tool != "":
		return "calls " + q.Tool
	case q.Fails:
		return "fails"
	case q.Text != "":
		return fmt.Sprintf("contains %q", q.Text)
	case q.At > 0:
		return "differs from the first within " + console.Count(q.At, "step")
	}
	return "differs from the first"
}

// sessions lists the newest sessions up to the limit, in order of their start. If tool is set, it
// lists only sessions that call the tool.
func (q *Question) sessions(ctx context.Context, cl *apiclient.Client, tool string) ([]Session, error) {
	params := url.Values{"sort": {"-started"}}
	for name, values := range q.Sessions {
		params[name] = values
	}
	if tool != "" {
		params.Set("tool", tool)
	}
	var list []Session
	_, err := cl.Pages(ctx, "v1/sessions", params, q.Limit, knownrecordings.SessionsAtOnce, func(text json.RawMessage) error {
		var s sessionhead.Summary
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("read the server's list of sessions: %w", err)
		}
		list = append(list, Session{SessionID: s.ID, Started: console.LocalTime(s.Started), Does: s.Status == sessionhead.Failed})
		return nil
	})
	slices.Reverse(list)
	return list, err
}

// answer sets Does of each session.
func (q *Question) answer(ctx context.Context, cl *apiclient.Client, list []Session) error {
	switch {
	case q.Fails:
		return nil // sessions has set Does
	case q.Tool != "":
		with, err := q.sessions(ctx, cl, q.Tool)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].Does = slices.ContainsFunc(with, func(s Session) bool { return s.SessionID == list[i].SessionID })
		}
		return nil
	}
	for i := range list {
		var err error
		if q.Text != "" {
			list[i].Does, err = q.containsText(ctx, cl, list[i].SessionID)
		} else {
			err = q.differs(ctx, cl, list[0].SessionID, &list[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *Question) containsText(ctx context.Context, cl *apiclient.Client, session string) (bool, error) {
	messages, err := knownrecordings.Transcript(ctx, cl, session)
	for i := range messages {
		if strings.Contains(messages[i].Text, q.Text) {
			return true, nil
		}
	}
	return false, err
}

func (q *Question) differs(ctx context.Context, cl *apiclient.Client, first string, s *Session) error {
	var found compare.Comparison
	if err := cl.Get(ctx, "v1/compare", url.Values{"a": {first}, "b": {s.SessionID}, "brief": {"1"}}, &found); err != nil {
		return err
	}
	s.Sentence = found.Summary.Sentence
	s.Does = Counts(found.FirstDivergence, q.At, q.Words) != nil
	return nil
}

// Counts returns the first difference of a divergence, which may be nil, that counts as a difference of
// two sessions: a changed input or action, or with words any changed text, within the first steps; 0 means
// any step. It returns nil if none counts.
func Counts(d *compare.Divergence, within int, words bool) (first *compare.First) {
	if d == nil {
		return nil
	}
	differences := []*compare.First{d.Input, d.Action}
	if words {
		differences = append(differences, d.Output)
	}
	for _, f := range differences {
		if f != nil && (within == 0 || stepOf(f) <= within) && (first == nil || f.Row < first.Row) {
			first = f
		}
	}
	return first
}

// stepOf returns the number of the step that differs, in the session that contains it.
func stepOf(f *compare.First) int {
	if f.A != nil {
		return f.A.Number
	}
	return f.B.Number
}
