package query

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tapedeck/schema"
	"tapedeck/schema/problem"
)

// sessionID is a session in its place in the list.
type sessionID struct {
	ID      string `ch:"session_id"`
	Started int64  `ch:"started_ns"`
	Last    int64  `ch:"last_ns"`
	SortKey int64  `ch:"sort_key"`
}

// sessionIDsShape is what sql/session_ids.sql asks of.
type sessionIDsShape struct {
	SortKey                           string
	Descending                        bool
	Agents, Tools, Models, Text       bool
	From, To, After, LiveSince, OrCut bool
	RunStatuses, Floor, Ceiling       bool
	Tags                              []TagFilter
}

// sortKeys are the columns for the words of SessionSort.
var sortKeys = map[string]string{
	"started":  "started_ns",
	"last_at":  "last_ns",
	"duration": "last_ns - started_ns",
}

// sessionIDs gives the ids after the mark, in order: those that pass the filter,
// but for its statuses, of which it leaves out only what is sure not to match.
func (r *Reader) sessionIDs(ctx context.Context, q *SessionQuery, after *mark, limit int) ([]sessionID, error) {
	word, descending := strings.CutPrefix(string(q.Sort), "-")
	if sortKeys[word] == "" {
		return nil, problem.BadParameter("sort", fmt.Sprintf("sort %q is not known.", q.Sort))
	}
	statuses := likelyRuns(q.Statuses)
	shape := sessionIDsShape{
		SortKey: sortKeys[word], Descending: descending,
		Agents: len(q.Agents) > 0, Tools: len(q.Tools) > 0, Models: len(q.Models) > 0,
		Text: q.Text != "", Tags: q.Tags,
		From: !q.From.IsZero(), To: !q.To.IsZero(), After: after != nil,
		LiveSince:   slices.Equal(q.Statuses, []SessionStatus{Running}),
		RunStatuses: len(statuses) > 0, OrCut: slices.Contains(q.Statuses, Incomplete),
	}
	a := args{
		"tenant": q.Tenant, "agents": q.Agents, "tools": q.Tools, "models": q.Models, "text": q.Text,
		"limit": limit, "run_statuses": statuses, "live_since": r.now().Add(-Patience).UnixNano(),
	}
	if shape.From {
		a["from"] = q.From.UnixNano()
	}
	if shape.To {
		a["to"] = q.To.UnixNano()
	}
	if after != nil {
		a["after_key"], a["after_id"] = after.Key, after.ID
	}
	for i, tag := range q.Tags {
		a["tag_"+strconv.Itoa(i)+"_key"], a["tag_"+strconv.Itoa(i)+"_value"] = tag.Key, tag.Value
	}
	if q.Sort == "-started" {
		return r.newestFirst(ctx, q, after, limit, shape, a)
	}
	return ask[sessionID](ctx, r, "session_ids", shape, a)
}

// newestFirst looks at the newest streams first, and at more of them only if
// that gives too few sessions: the list's first pages need not go through all
// sessions that there ever were.
func (r *Reader) newestFirst(
	ctx context.Context, q *SessionQuery, after *mark, limit int, shape sessionIDsShape, a args,
) ([]sessionID, error) {
	if shape.To {
		shape.Ceiling, a["ceiling"] = true, q.To.UnixNano()
	}
	if after != nil {
		shape.Ceiling, a["ceiling"] = true, after.Key
	}
	for rows := uint64(8 * limit); ; rows *= 64 {
		window, err := askOne[struct {
			Found uint64 `ch:"found"`
			Floor int64  `ch:"floor_ns"`
		}](ctx, r, "session_window", shape, a.with("rows", rows))
		if err != nil {
			return nil, err
		}
		shape.Floor = window.Found == rows // else these are all the streams there are
		ids, err := ask[sessionID](ctx, r, "session_ids", shape, a.with("floor", window.Floor))
		past := shape.From && window.Floor < q.From.UnixNano() // what is older is not asked for
		if err != nil || len(ids) == limit || !shape.Floor || past {
			return ids, err
		}
	}
}

// likelyRuns lists the statuses of runs without which a session can have none of
// the statuses asked for; nil if there is no such list.
func likelyRuns(asked []SessionStatus) []string {
	if len(asked) == 0 {
		return nil
	}
	var runs []string
	for _, s := range asked {
		switch s {
		case Failed:
			runs = append(runs, string(schema.StatusError))
		case Incomplete:
			runs = append(runs, "", string(schema.StatusOpen), string(schema.StatusWaiting), string(schema.StatusUnclosed))
		default:
			return nil
		}
	}
	return runs
}
