package table

import (
	"context"
	"math"
	"time"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/query"
)

// Query selects entries. The zero value of a field does not restrict them.
type Query struct {
	Tenant    string    // "" for all
	From, To  time.Time // half open
	Principal string    // id or name
	Action    string    // an action, or a kind of object for all actions on it
	Object    string
	Outcome   audit.Outcome
}

// listName is the name of the list in cursors.
const listName = "audit"

// row is an entry as sql/audit_log.sql selects it.
type row struct {
	Tenant    string `ch:"tenant"`
	At        int64  `ch:"at_ns"`
	ID        string `ch:"id"`
	By        string `ch:"principal_kind"`
	ByID      string `ch:"principal_id"`
	ByName    string `ch:"principal_name"`
	Remote    string `ch:"remote"`
	Action    string `ch:"action"`
	Kind      string `ch:"kind"`
	Object    string `ch:"object"`
	Detail    string `ch:"detail"`
	Outcome   string `ch:"outcome"`
	Status    uint16 `ch:"status"`
	RequestID string `ch:"request_id"`
}

func (r *row) entry() audit.Entry {
	return audit.Entry{
		ID: r.ID, At: query.Instant(r.At), Tenant: r.Tenant, Principal: audit.Principal{Kind: r.By, ID: r.ByID,
			Name: r.ByName}, Remote: r.Remote,
		Action: audit.Action(r.Action), Kind: r.Kind, Object: r.Object, Detail: r.Detail,
		Outcome: audit.Outcome(r.Outcome), Status: int(r.Status), RequestID: r.RequestID,
	}
}

// shape selects the conditions of sql/audit_log.sql.
type shape struct{ After, Tenant, Principal, Action, Object, Outcome, Limited bool }

// Each calls a function with each entry of a query, the latest first, beginning after the mark,
// until the function returns an error. It visits at most limit entries, all with 0.
func Each(ctx context.Context, r *query.Reader, q Query, after *query.Mark, limit int, visit func(*audit.Entry) error) error {
	from, to := int64(0), int64(math.MaxInt64)
	if !q.From.IsZero() {
		from = q.From.UnixNano()
	}
	if !q.To.IsZero() {
		to = q.To.UnixNano()
	}
	args := query.Args{"from": from, "to": to, "tenant": q.Tenant, "principal": q.Principal, "action": q.Action,
		"object": q.Object, "outcome": string(q.Outcome), "limit": limit}
	if after != nil {
		args = args.And(query.Args{"after_at": after.Key, "after_id": after.ID})
	}
	s := shape{after != nil, q.Tenant != "", q.Principal != "", q.Action != "", q.Object != "", q.Outcome != "",
		limit > 0}
	return query.Each(ctx, r, statements, "audit_log", s, args, func(row *row) error {
		e := row.entry()
		return visit(&e)
	})
}

// ReadPage returns a page of the entries of a query.
func ReadPage(ctx context.Context, r *query.Reader, q Query, cursor string, limit int) (*query.Page[audit.Entry], error) {
	after, err := query.ParseMark(listName, cursor)
	if err != nil {
		return nil, err
	}
	page := &query.Page[audit.Entry]{Items: []audit.Entry{}}
	err = Each(ctx, r, q, after, limit+1, func(e *audit.Entry) error {
		if len(page.Items) == limit {
			last := &page.Items[limit-1]
			page.Next = query.Mark{List: listName, Key: last.At.UnixNano(), ID: last.ID}.Cursor()
			return nil
		}
		page.Items = append(page.Items, *e)
		return nil
	})
	return page, err
}
