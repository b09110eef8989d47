// Package facets counts the values by which sessions can be filtered.
package facets

import (
	"context"
	"time"

	"tapedeck/query"
)

var statements = query.Statements("session/facets")

// Query selects the sessions whose values are counted.
type Query struct {
	Tenant   string
	From, To time.Time // by whole days (UTC); zero for no limit
	Limit    int       // maximum number of names of each kind
}

// Facets holds the names of each kind, the most frequent first.
type Facets struct {
	Agents   []string `json:"agents"`
	Tools    []string `json:"tools"`
	Models   []string `json:"models"`
	Dialects []string `json:"dialects"`
	Tags     []string `json:"tags"` // names of tags, without values
}

// facetsShape selects the optional parts of sql/facets.sql, for tables of facts and of streams.
type facetsShape struct{ Facts, Streams facetRange }

type facetRange struct {
	Column   string // column of a row's time
	From, To bool
}

type facetRow struct {
	Kind string `ch:"kind"`
	Name string `ch:"name"`
}

// Read returns the most frequent names.
func Read(ctx context.Context, r *query.Reader, q Query) (*Facets, error) {
	from, to := !q.From.IsZero(), !q.To.IsZero()
	a := query.Args{"tenant": q.Tenant, "limit": q.Limit}
	if from {
		a["from"] = q.From.UnixNano()
	}
	if to {
		a["to"] = q.To.UnixNano()
	}
	rows, err := query.Ask[facetRow](ctx, r, statements, "facets", facetsShape{
		Facts:   facetRange{Column: "seen_at", From: from, To: to},
		Streams: facetRange{Column: "first_at", From: from, To: to},
	}, a)
	if err != nil {
		return nil, err
	}
	f := &Facets{Agents: []string{}, Tools: []string{}, Models: []string{}, Dialects: []string{}, Tags: []string{}}
	lists := map[string]*[]string{
		"agent": &f.Agents, "tool": &f.Tools, "model": &f.Models, "dialect": &f.Dialects, "tag": &f.Tags,
	}
	for _, row := range rows {
		list := lists[row.Kind]
		*list = append(*list, row.Name)
	}
	return f, nil
}
