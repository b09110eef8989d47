package main

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"tapedeck/ingest/body"
	"tapedeck/ingest/link"
	"tapedeck/ingest/websocket"
	"tapedeck/query"
	queryhttp "tapedeck/query/http"
	"tapedeck/replay/clickhouse"
	replayhttp "tapedeck/replay/http"
)

// ingestRoutes are those by which streams come in.
func (s *server) ingestRoutes(e *echo.Echo) {
	rec := s.node.recorder
	e.POST("/v1/ingest", forTenant(body.NewHandler(rec, body.Options{Log: s.log}).Ingest))
	sockets := websocket.NewHandler(rec, websocket.HandlerOptions{Log: s.log})
	e.GET("/v1/ingest/ws", forTenant(func(w http.ResponseWriter, r *http.Request, tenant string) {
		s.sockets.Add(1)
		defer s.sockets.Done()
		sockets.IngestWS(w, r, tenant)
	}))
	s.links = link.NewServer(link.ServerOptions{Next: s.node.spool, Log: s.log})
	e.GET("/v1/blocks", forTenant(s.links.Blocks))
}

// readRoutes are those by which recordings are read and played.
func (s *server) readRoutes(e *echo.Echo) {
	s.tapes = clickhouse.Open(s.node.cfg.dsn, clickhouse.Options{})
	play := replayhttp.New(replayhttp.Options{Library: s.tapes, Logger: s.log, Registerer: prometheus.DefaultRegisterer})
	q := queryhttp.New(query.NewReader(s.node.db), s.log)

	e.GET("/v1/sessions", forTenant(q.Sessions))
	e.GET("/v1/sessions/:id", forSession(q.Session))
	e.DELETE("/v1/sessions/:id", forSession(q.Delete))
	e.GET("/v1/sessions/:id/frames", forSession(q.Frames))
	e.GET("/v1/sessions/:id/timeline", forSession(q.Timeline))
	e.GET("/v1/sessions/:id/transcript", forSession(q.Transcript))
	e.GET("/v1/sessions/:id/replay", forSession(play.Replay))
	e.GET("/v1/usage", forTenant(q.Usage))
	e.GET("/v1/tools", forTenant(q.Tools))
}
