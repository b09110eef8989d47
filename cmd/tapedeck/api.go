package main

import (
	"github.com/labstack/echo/v4"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesthttp"
	"tapedeck/ingest/jetstream"
	"tapedeck/ingest/redecode"
	"tapedeck/ingest/sink"
	"tapedeck/ingest/upload"
	"tapedeck/ingest/websocket"
	"tapedeck/query"
	queryhttp "tapedeck/query/http"
	"tapedeck/replay/clickhouse"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/live"
	"tapedeck/replay/tapefile/tapeexport"
)

// ingestRoutes are those by which streams come in.
func (s *server) ingestRoutes(e *echo.Echo) {
	rec := s.node.recorder
	bodies := ingesthttp.NewHandler(rec, ingesthttp.Options{Limits: s.node.cfg.limits, Keys: s.node.keys, Known: s.node.sessionOf(), Log: s.log})
	e.POST("/v1/ingest", forTenant(bodies.Ingest))
	get(e, "/v1/ingest/:key", only(func(c echo.Context) error {
		bodies.Status(c.Response(), c.Request(), ingest.DefaultTenant, c.Param("key"))
		return nil
	}))
	s.sockets = websocket.NewHandler(rec, websocket.HandlerOptions{Limits: s.node.cfg.limits, Keys: s.node.keys, Log: s.log})
	e.GET("/v1/ingest/ws", forTenant(s.sockets.IngestWS))
	links := upload.ServerOptions{Next: s.node.accepts, Log: s.log}
	if s.node.announcer != nil {
		links.Arrived = s.node.announcer.Now
	}
	s.links = upload.NewServer(links)
	if s.node.announcer != nil {
		s.node.announcer.SpeakFor(s.links.Recorders)
	}
	s.metrics.MustRegister(s.links)
	if s.node.spool != nil {
		s.metrics.MustRegister(s.node.spool)
	}
	e.POST("/v1/import", only(forTenant(s.serveImport)))
	e.GET("/v1/blocks", only(forTenant(s.links.Blocks)))
}

// following returns the options by which running sessions are followed. Heartbeats decide
// there, as in lists, whether a recorder is alive.
func (s *server) following() live.Options {
	o := live.Options{
		NATS: s.node.nc, Stream: jetstream.StreamName, Sink: sink.ConsumerName, Filters: ingest.SubjectFilters,
		Deleted: s.node.deleted, Budget: s.readers, Stored: s.tapes, Log: s.log,
	}
	if s.node.recorders != nil {
		o.Recorders = s.node.recorders
	}
	return o
}

// readRoutes are those by which recordings are read and played.
func (s *server) readRoutes(e *echo.Echo) {
	s.tapes = clickhouse.Open(s.node.cfg.dsn, clickhouse.Options{})
	s.readers = s.node.cfg.readers.budget()
	s.metrics.MustRegister(s.readers)
	playing := replayhttp.Options{Library: s.tapes, Budget: s.readers, Logger: s.log, Registerer: s.metrics}
	following, err := live.New(s.following())
	if err != nil {
		s.log.Error("running sessions cannot be followed", "error", err)
	} else {
		s.live, playing.Live = following, following
	}
	play := replayhttp.New(playing)
	options := []query.Option{query.WithDeleter(s.node.deleter), query.WithQuietAfter(s.node.cfg.quietAfter)}
	if s.node.recorders != nil {
		s.metrics.MustRegister(s.node.recorders)
		options = append(options, query.WithRecorders(s.node.recorders))
	}
	q := queryhttp.New(query.NewReader(s.node.db, options...), s.log)

	get(e, "/v1/sessions", forTenant(q.Sessions))
	get(e, "/v1/facets", forTenant(q.Facets))
	get(e, "/v1/streams", forTenant(q.Streams))
	get(e, "/v1/sessions/:id", forSession(q.Session))
	e.DELETE("/v1/sessions/:id", forSession(q.Delete))
	e.POST("/v1/sessions/:id/redecode", forSession(redecode.New(s.node.db, s.node.cfg.dsn, s.log).Handle))
	e.GET("/v1/sessions/:id/frames", s.reads(forSession(q.Frames)))
	get(e, "/v1/sessions/:id/frames/index", forSession(q.FrameIndex))
	get(e, "/v1/sessions/:id/frames/types", forSession(q.FrameTypes))
	get(e, "/v1/sessions/:id/frames/:position", s.reads(forFrame(q.Frame)))
	get(e, "/v1/sessions/:id/timeline", forSession(q.Timeline))
	get(e, "/v1/sessions/:id/transcript", s.reads(forSession(q.Transcript)))
	get(e, "/v1/sessions/:id/density", forSession(q.Density))
	e.GET("/v1/sessions/:id/replay", forSession(play.Replay))
	e.GET("/v1/sessions/:id/tape", only(s.reads(forSession(tapeexport.NewHandler(tapeexport.New(s.node.db, s.tapes), s.log).Tape))))
	get(e, "/v1/usage", forTenant(q.Usage))
	get(e, "/v1/tools", forTenant(q.Tools))
	s.emulateRoutes(e)
}
