package server

import (
	"context"

	"github.com/labstack/echo/v4"

	"tapedeck/deploy/tapeimport"
	"tapedeck/ingest"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/ingesthttp"
	"tapedeck/ingest/jetstream"
	"tapedeck/ingest/redecode"
	"tapedeck/ingest/sink"
	"tapedeck/ingest/upload"
	"tapedeck/ingest/websocket"
	"tapedeck/query"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/pricetables"
	"tapedeck/query/sessionstreams"
	"tapedeck/replay/clickhouse"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/live"
	"tapedeck/replay/tapefile/tapeexport"
)

// ingestRoutes adds the routes that receive streams.
func (s *Server) ingestRoutes(e *echo.Echo) {
	rec := s.Node.Recorder
	bodies := ingesthttp.NewHandler(rec, ingesthttp.Options{Limits: s.Limits, Keys: s.Node.Keys, Known: s.sessionOf(), Log: s.Log})
	e.POST("/v1/ingest", forTenant(bodies.Ingest))
	get(e, "/v1/ingest/:key", only(func(c echo.Context) error {
		bodies.Status(c.Response(), c.Request(), ingest.DefaultTenant, c.Param("key"))
		return nil
	}))
	s.sockets = websocket.NewHandler(rec, websocket.HandlerOptions{Limits: s.Limits, Keys: s.Node.Keys, Log: s.Log})
	e.GET("/v1/ingest/ws", forTenant(s.sockets.IngestWS))
	uploads := upload.ServerOptions{Next: s.Node.Accepts, Log: s.Log}
	if s.Node.Announcer != nil {
		uploads.Arrived = s.Node.Announcer.Now
	}
	s.uploads = upload.NewServer(uploads)
	if s.Node.Announcer != nil {
		s.Node.Announcer.SpeakFor(s.uploads.Recorders)
	}
	s.metrics.MustRegister(s.uploads)
	if s.Node.Spool != nil {
		s.metrics.MustRegister(s.Node.Spool)
	}
	e.POST("/v1/import", only(forTenant(tapeimport.NewHandler(s.Node.Accepts, s.Log).Import)))
	e.POST(upload.Path, only(forTenant(s.uploads.Blocks)))
}

// following returns the options for following running sessions. As in lists, heartbeats
// decide whether a recorder is alive.
func (s *Server) following() live.Options {
	o := live.Options{
		NATS: s.Node.NATS, Stream: jetstream.StreamName, Sink: sink.ConsumerName, Filters: ingest.SubjectFilters,
		Deleted: s.Node.Deleted, Budget: s.Readers, Stored: s.tapes, Log: s.Log,
	}
	if s.Node.Recorders != nil {
		o.Recorders = s.Node.Recorders
	}
	return o
}

// readRoutes adds the routes that read and play recordings.
func (s *Server) readRoutes(e *echo.Echo) {
	s.tapes = clickhouse.Open(s.Node.DSN, clickhouse.Options{})
	s.metrics.MustRegister(s.Readers)
	playing := replayhttp.Options{Library: s.tapes, Budget: s.Readers, Logger: s.Log, Registerer: s.metrics}
	following, err := live.New(s.following())
	if err != nil {
		s.Log.Error("open live tapes; running sessions are not followed", "error", err)
	} else {
		s.live, playing.Live = following, following
	}
	play := replayhttp.New(playing)
	options := []query.Option{query.WithDeleter(s.Node.Deleter), query.WithQuietAfter(s.QuietAfter), query.WithDecoderVersion(dialects.Version)}
	if s.Node.Recorders != nil {
		s.metrics.MustRegister(s.Node.Recorders)
		options = append(options, query.WithRecorders(s.Node.Recorders))
	}
	tables := pricetables.NewStore(s.Node.DB, s.Log)
	options = append(options, query.WithPrices(tables))
	reader, decoder := query.NewReader(s.Node.DB, options...), redecode.New(s.Node.DB, s.Node.DSN, s.Log)
	q := queryhttp.New(reader, s.Log, queryhttp.WithPrices(tables)).WithBills(s.bills(reader, decoder))

	get(e, "/v1/sessions", forTenant(q.Sessions))
	get(e, "/v1/facets", forTenant(q.Facets))
	get(e, "/v1/streams", forTenant(q.Streams))
	get(e, "/v1/sessions/:id", forSession(q.Session))
	e.DELETE("/v1/sessions/:id", forSession(q.Delete))
	e.POST("/v1/sessions/:id/redecode", forSession(decoder.Handle))
	e.GET("/v1/sessions/:id/frames", s.reads(forSession(q.Frames)))
	get(e, "/v1/sessions/:id/frames/index", forSession(q.FrameIndex))
	get(e, "/v1/sessions/:id/frames/types", forSession(q.FrameTypes))
	get(e, "/v1/sessions/:id/frames/:position", s.reads(forFrame(q.Frame)))
	get(e, "/v1/sessions/:id/timeline", forSession(q.Timeline))
	get(e, "/v1/sessions/:id/transcript", s.reads(forSession(q.Transcript)))
	get(e, "/v1/sessions/:id/density", forSession(q.Density))
	e.GET("/v1/sessions/:id/replay", forSession(play.Replay))
	e.GET("/v1/sessions/:id/tape", only(s.reads(forSession(tapeexport.NewHandler(tapeexport.New(s.Node.DB, s.tapes), s.Log).Tape))))
	get(e, "/v1/usage", forTenant(q.Usage))
	get(e, "/v1/usage/calls", s.reads(forTenant(q.Charges)))
	get(e, "/v1/usage/reconciliation", forTenant(q.Reconciliation))
	e.POST("/v1/usage/reconciliation", forTenant(q.ReconcileExport))
	get(e, "/v1/tools", forTenant(q.Tools))
	get(e, "/v1/prices", forTenant(q.Prices))
	get(e, "/v1/prices/:model", forModel(q.ModelPrices))
	get(e, "/v1/prices/:provider/:model", forModel(q.ModelPrices))
	e.POST("/v1/prices", forTenant(q.ImportPrices))
	get(e, "/v1/bills/focus", s.reads(forTenant(q.Focus)))
	get(e, "/v1/bills/:number/focus", s.reads(forBill(q.BillFocus)))
	billRoutes(e, q)
	s.emulateRoutes(e)
}

// sessionOf returns a function that looks up the session of the bytes with a digest;
// nil on a node that does not read recordings.
func (s *Server) sessionOf() func(ctx context.Context, tenant, digest string) (string, error) {
	if s.Node.DB == nil {
		return nil
	}
	reader := query.NewReader(s.Node.DB)
	return func(ctx context.Context, tenant, digest string) (string, error) {
		page, err := sessionstreams.Latest(ctx, reader, sessionstreams.Query{Tenant: tenant, Digest: digest, Limit: 1})
		if err != nil || len(page.Items) == 0 {
			return "", err
		}
		return page.Items[0].SessionID, nil
	}
}
