package usagereport

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/findings"
	"tapedeck/query/report/grouping"
	"tapedeck/schema"
)

// Bounds of the search for findings: sessions, and rows of a report times sessions.
const (
	maxFoundSessions = 50_000
	maxFoundRows     = 1_000_000
)

// Found counts the findings of the sessions whose usage is in a row. Findings belong to whole
// sessions: a finding counts in each row with usage of its session, and once in the totals. Sessions
// whose usage no rule reads may have no row: their findings are in the totals alone.
type Found struct {
	Sessions uint64      `json:"sessions"` // sessions with findings
	Findings uint64      `json:"findings"`
	Codes    []FoundCode `json:"codes"` // in the order of findings.Codes

	all *foundSessions
	in  map[int32]struct{} // of all sessions
}

// FoundCode counts the findings with a code, and the sessions that have them.
type FoundCode struct {
	Code     string `json:"code"`
	Count    uint64 `json:"count"`
	Sessions uint64 `json:"sessions"`
}

// foundSessions holds the sessions of a report that have findings.
type foundSessions struct {
	lists [][]findings.Finding
	rows  map[string]*Found // by period and groups
	// others are sessions without a row: none of their usage could be read.
	others map[int32]struct{}
}

// rowKey returns a text that identifies a row.
func rowKey(period string, groups []string) string {
	return period + "\x00" + strings.Join(groups, "\x00")
}

var errTooManyFound = problem.BadParameter("findings",
	fmt.Sprintf("Findings are looked for in at most %d sessions and in %d rows of single sessions.",
		maxFoundSessions, maxFoundRows),
	"a shorter range, fewer groupings, or filters of sessions")

type unreadRow struct {
	Session string `ch:"session"`
}

type sessionRow struct {
	Period  string   `ch:"period"`
	Groups  []string `ch:"groups"`
	Session string   `ch:"session"`
}

// findSessions looks for findings of the sessions of a report.
func findSessions(ctx context.Context, r *query.Reader, b *grouping.Report) (*foundSessions, error) {
	all := &foundSessions{rows: map[string]*Found{}, others: map[int32]struct{}{}}
	rows, places := []map[int32]struct{}{}, map[string]int{} // sessions of each row, and the row of a key
	ids, index := []string{}, map[string]int32{}
	n := 0
	args := b.Args.With("session_rows", maxFoundRows+1)
	err := query.Each(b.Context(ctx), r, statements, "report_sessions", b.Shape, args, func(row *sessionRow) error {
		at, known := index[row.Session]
		if !known {
			at = int32(len(ids))
			ids, index[row.Session] = append(ids, row.Session), at
		}
		if n++; n > maxFoundRows || len(ids) > maxFoundSessions {
			return errTooManyFound
		}
		key := rowKey(row.Period, row.Groups)
		place, ok := places[key]
		if !ok {
			place = len(rows)
			rows, places[key] = append(rows, map[int32]struct{}{}), place
		}
		rows[place][at] = struct{}{}
		return nil
	})
	if err == nil {
		args = args.With("unread_usage", uint32(schema.FlagUnreadUsage))
		err = query.Each(b.Context(ctx), r, statements, "unread_sessions", b.Shape, args, func(row *unreadRow) error {
			if _, known := index[row.Session]; known {
				return nil
			}
			if len(ids) == maxFoundSessions {
				return errTooManyFound
			}
			at := int32(len(ids))
			ids, index[row.Session] = append(ids, row.Session), at
			all.others[at] = struct{}{}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	all.lists = make([][]findings.Finding, len(ids))
	err = findings.Each(ctx, r, b.Tenant, ids, func(session string, u *findings.Usage) {
		all.lists[index[session]] = u.Findings
	})
	for at := range all.others {
		if len(all.lists[at]) == 0 {
			delete(all.others, at)
		}
	}
	for key, place := range places {
		for at := range rows[place] {
			if len(all.lists[at]) == 0 {
				delete(rows[place], at)
			}
		}
		all.rows[key] = &Found{all: all, in: rows[place]}
	}
	return all, err
}

// of returns the findings of a row.
func (s *foundSessions) of(period string, groups []string) *Found {
	if s == nil {
		return nil
	}
	f := s.rows[rowKey(period, groups)]
	if f == nil {
		f = &Found{all: s, in: map[int32]struct{}{}}
	}
	return f.sum()
}

// with returns the findings of the sessions of f and o. The counts are computed by sum.
func (f *Found) with(o *Found) *Found {
	if o == nil {
		return f
	}
	if f == nil {
		f = &Found{all: o.all, in: make(map[int32]struct{}, len(o.in))}
	}
	for at := range o.in {
		f.in[at] = struct{}{}
	}
	return f
}

// sum counts the findings and returns f.
func (f *Found) sum() *Found {
	if f == nil || f.all == nil {
		return f
	}
	f.Sessions, f.Findings = uint64(len(f.in)), 0
	counts := make([]FoundCode, len(findings.Codes))
	for at := range f.in {
		for _, finding := range f.all.lists[at] {
			c := &counts[slices.Index(findings.Codes, finding.Code)]
			c.Count += finding.Count
			c.Sessions++
			f.Findings += finding.Count
		}
	}
	f.Codes = []FoundCode{}
	for i := range counts {
		if counts[i].Count > 0 {
			counts[i].Code = findings.Codes[i]
			f.Codes = append(f.Codes, counts[i])
		}
	}
	return f
}
