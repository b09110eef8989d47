package search

import (
	"context"
	"fmt"
	"regexp"

	"tapedeck/query"
	"tapedeck/schema"
)

// shape selects the optional conditions of sql/candidates.sql. The lists contain names of
// parameters.
type shape struct {
	Messages, Errors                        bool
	Terms                                   bool
	Phrases, Prefixes, Beginnings, Literals []string
	Kinds, Sessions, Tools, Agents, Until   bool
}

// candidate is a row that may match.
type candidate struct {
	OfSpan  bool   `ch:"of_span"`
	Session string `ch:"session_id"`
	Stream  string `ch:"stream_id"`
	Fact    string `ch:"fact_id"`
	Seen    int64  `ch:"seen_ns"`
	Seq     uint64 `ch:"seen_seq"`
}

func (c *candidate) place() *place {
	return &place{At: c.Seen, Stream: c.Stream, Seq: c.Seq, Session: c.Session, Fact: c.Fact}
}

// asked is a query with the conditions and parameters of its statement.
type asked struct {
	shape   shape
	args    query.Args
	scanned []string
}

// prepare builds the conditions of a query.
func prepare(ctx context.Context, r *query.Reader, q *Query) (*asked, error) {
	kinds := kindsOf(q.Kinds, q.Roles)
	a := &asked{scanned: []string{}, args: query.Args{
		"tenant": q.Tenant, "kinds": kinds, "of_sessions": q.Sessions, "tools": q.Tools, "agents": q.Agents,
	}}
	a.shape = shape{
		Messages: kinds == nil || len(kinds) > 0,
		Errors:   len(q.Roles) == 0 && (kinds == nil || has(kinds, string(schema.MessageError))),
		Kinds:    kinds != nil, Sessions: q.Sessions != nil, Tools: len(q.Tools) > 0, Agents: len(q.Agents) > 0,
	}
	var all []string
	for i := range q.Expression.pieces {
		p := &q.Expression.pieces[i]
		name := func(kind string) string { return fmt.Sprint(kind, "_", i) }
		full := p.terms
		if p.prefix {
			full = full[:len(full)-1]
		}
		all = append(all, full...)
		if len(full) > 1 {
			a.shape.Phrases = append(a.shape.Phrases, name("phrase"))
			a.args[name("phrase")] = joined(full)
		}
		switch {
		case p.literal != "":
			a.shape.Literals = append(a.shape.Literals, name("literal"))
			a.args[name("literal")] = p.literal
			a.scanned = append(a.scanned, p.literal)
		case p.prefix:
			words, err := wordsBeginning(ctx, r, p.terms[len(p.terms)-1])
			if err != nil {
				return nil, err
			}
			if words != nil {
				a.shape.Prefixes = append(a.shape.Prefixes, name("prefix"))
				a.args[name("prefix")] = words
				break
			}
			a.shape.Beginnings = append(a.shape.Beginnings, name("beginning"))
			a.args[name("beginning")] = `(^|[\x00-/:-@\[-` + "`" + `{-\x7f])` +
				regexp.QuoteMeta(p.terms[len(p.terms)-1])
			a.scanned = append(a.scanned, p.terms[len(p.terms)-1]+"*")
		}
	}
	if a.shape.Terms = len(all) > 0; a.shape.Terms {
		a.args["terms"] = all
	}
	return a, nil
}
