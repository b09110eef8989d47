package server

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/http"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/isolate"
	"tapedeck/replay/emulate/router"
	"tapedeck/schema/sqltemplate"
)

// emulateRoutes adds the routes of emulated servers, in the protocols from which sessions were
// recorded.
func (s *Server) emulateRoutes(rt *routeTable) {
	f := router.New(emulate.Options{
		Library: s.tapes, Budget: s.Readers, Logger: s.Log, Registerer: s.metrics, WriteTimeout: s.Slow.Write,
		Origins: s.Origins,
	}, executions{s.Node.DB})
	session, replays := isolated(s.bounded(f.Session)), always(s.Concurrency.Replays)
	anyMethod := []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}
	rt.add([]row{
		{readsRaw, audit.SessionEmulate, get, "/emulate/:id", replays, session},
		{readsRaw, audit.SessionEmulate, anyMethod, "/emulate/:id/*", replays, session},
		{readsRaw, audit.None, getHead, "/v1/sessions/:id/emulation", nil, only(forSession(f.ServeSpeaks), "protocol")},
		{readsRaw, audit.SessionEmulate, get, "/api/v0/executions/:kind/:exec_id/stream", replays, isolated(s.bounded(f.Execution))},
	})
}

// isolated prevents recordings from acting in the origin of the API and the UI.
func isolated(h tenantHandler) echo.HandlerFunc {
	return forTenant(func(w http.ResponseWriter, r *http.Request, tenant string) {
		isolate.Handler(func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant) })(w, r)
	})
}

//go:embed sql/*.sql
var statementFiles embed.FS

var sessionOfRun = sqltemplate.Parse(statementFiles).Must("session_of_run", nil)

// executions finds the sessions of Compozy's executions.
type executions struct{ db driver.Conn }

// SessionOfRun implements compozy.Sessions: the session that last recorded the run.
func (x executions) SessionOfRun(ctx context.Context, tenant, run string) (session string, err error) {
	err = x.db.QueryRow(ctx, sessionOfRun, driver.NamedValue{Name: "tenant", Value: tenant},
		driver.NamedValue{Name: "run", Value: run}).Scan(&session)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find the session of execution %s: %w", run, err)
	}
	return session, nil
}
