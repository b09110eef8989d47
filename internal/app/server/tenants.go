package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/problem"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/schema/sqltemplate"
)

var tenantsStatement = sqltemplate.Parse(statementFiles).Must("tenants", nil)

// Tenant is a tenant in the list.
type Tenant struct {
	Name      string     `json:"name"`
	LastFrame *time.Time `json:"last_frame"` // null without recordings
	Tokens    int        `json:"tokens"`     // number of valid tokens
	LastUsed  *time.Time `json:"last_used"`  // latest use of its tokens; null if none was used
	Retention bool       `json:"retention"`  // it has policies of its own
	Bills     bool       `json:"bills"`      // it has bills
	Prices    bool       `json:"prices"`     // rules of the current price table name it
}

// tenants lists the tenants that have recordings, bills, tokens, retention or prices.
type tenants struct {
	server *Server
	prices *pricetables.Store
}

// serve answers GET /v1/tenants with the tenants that the principal administers.
func (t tenants) serve(w http.ResponseWriter, r *http.Request) {
	list, err := t.list(r.Context(), access.Reach(r))
	if err != nil {
		t.server.Log.Error("server: tenants could not be listed", "error", err)
		problem.Write(w, &problem.Problem{Title: "Tenants cannot be listed",
			Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
			Hint: "/readyz shows the state of NATS and ClickHouse."})
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct { // a write error means that the client has disconnected
		Items []Tenant `json:"items"`
		Next  *string  `json:"next"` // always null
	}{Items: list})
}

func (t tenants) list(ctx context.Context, reach string) ([]Tenant, error) {
	found := map[string]*Tenant{}
	of := func(name string) *Tenant {
		if found[name] == nil {
			found[name] = &Tenant{Name: name}
		}
		return found[name]
	}
	if err := t.stored(ctx, reach, of); err != nil {
		return nil, err
	}
	if t.server.Tokens != nil {
		tokens, err := t.server.Tokens.List(reach)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		for i := range tokens {
			token := &tokens[i]
			if token.Tenant == access.AllTenants {
				continue
			}
			one := of(token.Tenant)
			if token.RevokedAt == nil && (token.ExpiresAt == nil || token.ExpiresAt.After(now)) {
				one.Tokens++
			}
			if at := token.LastUsed; at != nil && (one.LastUsed == nil || at.After(*one.LastUsed)) {
				one.LastUsed = at
			}
		}
	}
	version, err := t.prices.Current(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range version.Table.Tenants() {
		if reach == access.AllTenants || reach == name {
			of(name).Prices = true
		}
	}
	list := make([]Tenant, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[name])
	}
	return list, nil
}

// stored adds the tenants with rows in ClickHouse.
func (t tenants) stored(ctx context.Context, reach string, of func(string) *Tenant) error {
	rows, err := t.server.Node.DB.Query(ctx, tenantsStatement, driver.NamedValue{Name: "tenant", Value: reach})
	if err != nil {
		return fmt.Errorf("read tenants: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var last time.Time
		var retention, bills bool
		if err := rows.Scan(&name, &last, &retention, &bills); err != nil {
			return fmt.Errorf("read tenants: %w", err)
		}
		one := of(name)
		one.Retention, one.Bills = retention, bills
		if last.Unix() > 0 {
			last = last.UTC()
			one.LastFrame = &last
		}
	}
	return rows.Err()
}
