package server

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"tapedeck"
	"tapedeck/ingest/delivery/upload"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/redecode"
	"tapedeck/ingest/sink"
	"tapedeck/ingest/tap/ingesthttp"
	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/auth/audit/table"
	"tapedeck/internal/app/auth/share"
	"tapedeck/internal/app/command/tapeimport"
	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/app/sessionotlp"
	"tapedeck/query"
	"tapedeck/query/endpoint"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/session/streamlist"
	"tapedeck/replay/clickhouse"
	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/live"
	"tapedeck/replay/tapefile/tapeexport"
	"tapedeck/schema/sessioncache"
)

// ingestRoutes adds the routes that receive streams.
func (s *Server) ingestRoutes(rt *routeTable) {
	rec := s.Node.Recorder
	bodies := ingesthttp.NewHandler(rec, ingesthttp.Options{Limits: s.Limits, FrameLimit: s.Limits.Frame,
		Writers: s.Writers, Keys: s.Node.Keys, Known: s.sessionOf(), Log: s.Log})
	status := func(c echo.Context) error {
		return forTenant(func(w http.ResponseWriter, r *http.Request, tenant string) {
			bodies.Status(w, r, tenant, c.Param("key"))
		})(c)
	}
	s.sockets = websocket.NewHandler(rec, websocket.HandlerOptions{Limits: s.Limits, FrameLimit: s.Limits.Frame,
		Writers: s.Writers, Keys: s.Node.Keys, Lasting: s.lasting, Log: s.Log})
	uploads := upload.ServerOptions{Next: s.Node.Accepts, Arrive: s.Slow.Body, Writers: s.Writers, Log: s.Log}
	if s.Node.Announcer != nil {
		uploads.Arrived = s.Node.Announcer.Now
	}
	s.uploads = upload.NewServer(uploads)
	if s.Node.Announcer != nil {
		s.Node.Announcer.SpeakFor(s.uploads.Recorders)
	}
	s.metrics.MustRegister(s.uploads)
	if s.Writers != nil {
		s.metrics.MustRegister(s.Writers)
	}
	if s.Node.Spool != nil {
		s.metrics.MustRegister(s.Node.Spool)
	}
	exports := otlphttp.NewHandler(rec, otlphttp.Options{Limits: s.Limits, Writers: s.Writers, Log: s.Log})
	tapes := tapeimport.NewHandler(s.Node.Accepts, tapeimport.Options{Writers: s.Writers, FrameLimit: s.Limits.Frame,
		Arrive: s.Slow.Body, Log: s.Log})
	streams := always(s.Concurrency.Streams)
	rt.add([]row{
		{records, audit.None, post, "/v1/ingest", streams, forTenant(bodies.Ingest)},
		{records, audit.None, getHead, "/v1/ingest/:key", nil, only(status)},
		{records, audit.None, get, "/v1/ingest/ws", streams, forTenant(s.sockets.IngestWS)},
		{records, audit.None, post, "/v1/traces", streams, forTenant(exports.Traces)},
		{records, audit.None, post, "/v1/logs", streams, forTenant(exports.Logs)},
		{records, audit.None, post, "/v1/metrics", nil, forTenant(exports.Metrics)},
		{records, audit.None, post, otlphttp.TracesMethod, streams, only(forTenant(exports.GRPCTraces))},
		{records, audit.None, post, otlphttp.LogsMethod, streams, only(forTenant(exports.GRPCLogs))},
		{records, audit.None, post, otlphttp.MetricsMethod, nil, only(forTenant(exports.GRPCMetrics))},
		{records, audit.SessionImport, post, "/v1/import", streams, only(forTenant(tapes.Import))},
		{records, audit.None, post, upload.Path, streams, only(forTenant(s.uploads.Blocks))},
	})
}

// following returns the options for following running sessions. As in lists, heartbeats
// decide whether a recorder is alive.
func (s *Server) following() live.Options {
	o := live.Options{
		NATS: s.Node.NATS, Locate: s.Node.Layout.Locate, Sink: sink.ConsumerName,
		Deleted: s.Node.Deleted, Budget: s.Readers, Stored: s.tapes.Fresh(), Log: s.Log,
	}
	if s.Node.Recorders != nil {
		o.Recorders = s.Node.Recorders
	}
	return o
}

// readRoutes adds the routes that read and play recordings.
func (s *Server) readRoutes(rt *routeTable) {
	cache, err := sessioncache.New(sessioncache.Options{NATS: s.Node.NATS, Bytes: s.SessionCacheBytes})
	if err != nil {
		s.Log.Error("server: sessions are read from ClickHouse every time, since changes cannot be followed", "error", err)
	}
	s.cache, s.tapes = cache, clickhouse.Open(s.Node.DSN, clickhouse.Options{Cache: cache})
	s.metrics.MustRegister(s.Readers, s.cache)
	playing := replayhttp.Options{Library: share.Library{Whole: s.tapes, Stored: s.tapes}, Budget: s.Readers,
		Logger: s.Log, Registerer: s.metrics, WriteTimeout: s.Slow.Write, LagLimit: s.Slow.Lag, Origins: s.Origins}
	following, err := live.New(s.following())
	if err != nil {
		s.Log.Error("server: running sessions are not followed", "error", err)
	} else {
		s.live, playing.Live = following, share.Library{Whole: following, Stored: s.tapes}
	}
	play := replayhttp.New(playing)
	s.Erasures, s.retention, s.backups = s.newErasures(), s.newRetention(), s.newBackups()
	if s.Node.Deleted != nil {
		s.watched = newSessionReaders(s.Node.Deleted)
	}
	options := []query.Option{query.WithDeleter(s.Erasures), query.WithQuietAfter(s.QuietAfter),
		query.WithDecoderVersion(dialects.Version), query.WithLimits(s.Query), query.WithSessionCache(s.cache)}
	if s.Node.Recorders != nil {
		s.metrics.MustRegister(s.Node.Recorders)
		options = append(options, query.WithRecorders(s.Node.Recorders))
	}
	tables := pricetables.NewStore(s.Node.DB, s.Log)
	options = append(options, query.WithPrices(tables))
	reader, decoder := query.NewReader(s.Node.DB, options...), redecode.New(s.Node.Work, s.Node.DSN, s.Log)
	usuals := toolreport.NewUsuals()
	s.reader, s.alerting = reader, s.newAlerting(usuals, options)
	decoder.Announce = s.Node.Changes.Sessions
	decoder.Copies, decoder.JSONDepth = erasure.Copies{Service: s.Erasures}, s.Limits.JSONDepth
	store, tapes := s.bills(reader, decoder), tapeexport.New(s.Node.DB, s.tapes)
	q := queryhttp.New(reader, s.Log, queryhttp.WithPrices(tables), queryhttp.WithWriteTimeout(s.Slow.Write)).
		WithComparisons(s.Concurrency.Comparisons).WithUsuals(usuals).WithNotes(authorOf).WithBills(store).WithEvidence(store, s.evidenceTapes(tapes),
		readsPrices)
	s.queryRoutes(rt, q)
	s.billRoutes(rt, q)
	export := tapeexport.NewHandler(tapes, s.Slow.Write, s.Log)
	spans := &sessionotlp.Handler{Library: s.tapes, Options: sessionotlp.Options{Version: tapedeck.Version()},
		WriteTimeout: s.Slow.Write, Log: s.Log}
	entries := table.Handler{Base: &endpoint.Base{Reader: reader, Log: s.Log, Clock: time.Now,
		WriteTimeout: s.Slow.Write}}
	rt.add([]row{
		{admins, audit.TokenList, getHead, "/v1/tenants", nil, only(plain(tenants{s, tables}.serve))},
		{admins, audit.SessionRedecode, post, "/v1/sessions/:id/redecode", nil, forSession(decoder.Handle)},
		{admins, audit.SessionRedact, post, "/v1/sessions/:id/redact", nil, dryRuns(forSession(decoder.HandleRedact(s.Node.Redaction)))},
		{shared(readsRaw), audit.SessionReplay, get, "/v1/sessions/:id/replay", s.replayLimit, forSession(play.Replay)},
		{readsRaw, audit.TapeExport, get, "/v1/sessions/:id/tape", always(s.Concurrency.Exports), only(s.reads(forSession(export.Tape)))},
		{reads, audit.SpansExport, get, "/v1/sessions/:id/otlp", always(s.Concurrency.Exports), s.reads(forSession(spans.ServeSession))},
		{admins, audit.AuditRead, getHead, "/v1/audit", s.exportLimit, s.reads(s.auditEntries(entries))},
	})
	s.mcpRoutes(rt)
	s.emulateRoutes(rt)
	s.erasureRoutes(rt)
	s.backupRoutes(rt)
	s.retentionRoutes(rt)
	s.shareRoutes(rt)
}

// queryRoutes adds the routes that answer questions about recordings.
func (s *Server) queryRoutes(rt *routeTable, q *queryhttp.Server) {
	rt.add([]row{
		{anyScope, audit.None, getHead, "/v1/waiting", nil, only(forTenant(s.serveWaiting))},
		{reads, audit.None, getHead, "/v1/sessions", nil, forTenant(s.complete(s.partial(q.Sessions)))},
		{reads, audit.OpenRead, getHead, "/v1/open", nil, s.reads(forTenant(s.complete(s.partial(q.Open))))},
		{reads, audit.None, getHead, "/v1/totals", nil, forTenant(s.complete(s.partial(q.Totals)))},
		{reads, audit.None, getHead, "/v1/facets", nil, forTenant(s.complete(s.partial(q.Facets)))},
		{reads, audit.None, getHead, "/v1/streams", nil, forTenant(s.complete(s.partial(q.Streams)))},
		{shared(reads), audit.None, getHead, "/v1/sessions/:id", nil, forSession(q.Session)},
		{admins, audit.SessionDelete, del, "/v1/sessions/:id", nil, forSession(q.Delete)},
		{shared(readsRaw), audit.FramesRead, get, "/v1/sessions/:id/frames", nil, s.reads(forSession(q.Frames))},
		{shared(reads), audit.None, getHead, "/v1/sessions/:id/frames/index", nil, forSession(q.FrameIndex)},
		{shared(reads), audit.None, getHead, "/v1/sessions/:id/frames/types", nil, forSession(q.FrameTypes)},
		{shared(readsRaw), audit.FramesRead, getHead, "/v1/sessions/:id/frames/:position", nil, s.reads(forFrame(q.Frame))},
		{shared(reads), audit.None, getHead, "/v1/sessions/:id/timeline", nil, forSession(q.Timeline)},
		{shared(reads), audit.TranscriptRead, getHead, "/v1/sessions/:id/transcript", nil, s.reads(forSession(q.Transcript))},
		{shared(reads), audit.None, getHead, "/v1/sessions/:id/density", nil, forSession(q.Density)},
		{reads, audit.None, getHead, "/v1/alerts", s.alertLimit, forTenant(alertsOf(s.complete(s.partial(q.Alerts)), q.AlertStream))},
		{reads, audit.None, getHead, "/v1/notes", nil, forTenant(s.complete(s.partial(q.Notes)))},
		{reads, audit.None, getHead, "/v1/sessions/:id/notes", nil, forSession(q.SessionNotes)},
		{notes, audit.NoteWrite, post, "/v1/sessions/:id/notes", nil, forSession(q.AddNote)},
		{notes, audit.NoteWrite, post, "/v1/sessions/:id/notes/import", nil, forSession(q.ImportNotes)},
		{notes, audit.NoteWrite, put, "/v1/sessions/:id/notes/:note", nil, forNote(q.ChangeNote)},
		{notes, audit.NoteDelete, del, "/v1/sessions/:id/notes/:note", nil, forNote(q.DeleteNote)},
		{notes, audit.NoteWrite, put, "/v1/sessions/:id/labels/:label", nil, forLabel(q.AddLabel)},
		{notes, audit.NoteDelete, del, "/v1/sessions/:id/labels/:label", nil, forLabel(q.RemoveLabel)},
		{reads, audit.None, getHead, "/v1/usage", s.exportLimit, s.reads(forTenant(s.complete(s.partial(q.Usage))))},
		{reads, audit.ChargesExport, getHead, "/v1/usage/calls", s.exportLimit, s.reads(forTenant(s.complete(q.Charges)))},
		{billing, audit.Reconciled, getHead, "/v1/usage/reconciliation", nil, forTenant(q.Reconciliation)},
		{billing, audit.Reconciled, post, "/v1/usage/reconciliation", nil, forTenant(q.ReconcileExport)},
		{reads, audit.None, getHead, "/v1/tools", nil, forTenant(s.complete(s.partial(q.Tools)))},
		{reads, audit.None, getHead, "/v1/limits", nil, forTenant(s.complete(s.partial(q.Limits)))},
		{reads, audit.Search, getHead, "/v1/search", nil, s.reads(forTenant(s.complete(s.partial(q.Search))))},
		{reads, audit.None, getHead, "/v1/calls", s.exportLimit, forTenant(s.complete(s.partial(q.Calls)))},
		{reads, audit.SessionCompare, getHead, comparePath, nil, s.reads(forTenant(q.Compare))},
		{reads, audit.None, getHead, "/v1/prices", nil, forTenant(q.Prices)},
		{reads, audit.None, getHead, "/v1/prices/:model", nil, forModel(q.ModelPrices)},
		{reads, audit.None, getHead, "/v1/prices/:provider/:model", nil, forModel(q.ModelPrices)},
		{operates, audit.PricesImport, post, "/v1/prices", nil, dryRuns(forTenant(q.ImportPrices))},
	})
}

// sessionOf returns a function that looks up the session of the bytes with a digest;
// nil on a node that does not read recordings.
func (s *Server) sessionOf() func(ctx context.Context, tenant, digest string) (string, error) {
	if s.Node.DB == nil {
		return nil
	}
	reader := query.NewReader(s.Node.DB)
	return func(ctx context.Context, tenant, digest string) (string, error) {
		page, err := streamlist.Latest(ctx, reader, streamlist.Query{Tenant: tenant, Digests: []string{digest}, Limit: 1})
		if err != nil || len(page.Items) == 0 {
			return "", err
		}
		return page.Items[0].SessionID, nil
	}
}
