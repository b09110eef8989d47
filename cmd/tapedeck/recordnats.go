package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/redact"
	"tapedeck/ingest/tap/natstap"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
)

// natsSource holds the flags for recording NATS messages.
type natsSource struct {
	NATSSubject   string        `help:"Record what is published on a subject of the server of --nats, with the wildcards * and >; with --nats-stream only those of its messages." name:"nats-subject" placeholder:"SUBJECT"`
	NATSQueue     string        `help:"Queue group of --nats-subject: several recorders share its messages." name:"nats-queue" placeholder:"NAME"`
	NATSStream    string        `help:"Record a JetStream stream of the server of --nats, after a restart from where the last run stopped." name:"nats-stream" placeholder:"NAME"`
	NATSConsumer  string        `help:"Durable consumer to read --nats-stream with; made if there is none. Messages are acknowledged once they are stored." name:"nats-consumer" placeholder:"NAME"`
	NATSNew       bool          `help:"Begin --nats-stream with its next message instead of its first." name:"nats-new"`
	NATSStreams   int           `help:"Most subjects that are open at a time; the least recently used is ended for another." name:"nats-open-subjects" default:"1000" placeholder:"N"`
	NATSIdle      time.Duration `help:"End the stream of a subject without a message for so long." name:"nats-idle" default:"10m"`
	SessionHeader string        `help:"For NATS: header that names the session." name:"session-header" placeholder:"NAME"`
	SessionToken  int           `help:"For NATS: part of the subject that names the session, counted from 1." name:"session-token" placeholder:"N"`
}

func (s *natsSource) given() bool { return s.NATSSubject != "" || s.NATSStream != "" }

// check returns an error for incompatible flags. servers is the value of --nats.
func (s *natsSource) check(servers string, client *settings.NATSClient, frameClock bool) error {
	// kong's tag "and" is not suitable: it requires all flags of a group or none of them.
	switch {
	case s.NATSQueue != "" && (s.NATSSubject == "" || s.NATSStream != ""):
		return commandline.Errorf("--nats-queue goes with --nats-subject, and without --nats-stream")
	case s.NATSConsumer != "" && s.NATSStream == "":
		return commandline.Errorf("--nats-consumer goes with --nats-stream")
	case s.NATSNew && s.NATSStream == "":
		return commandline.Errorf("--nats-new goes with --nats-stream")
	case s.SessionHeader != "" && !s.given():
		return commandline.Errorf("--session-header goes with --nats-subject or --nats-stream")
	case s.SessionToken != 0 && !s.given():
		return commandline.Errorf("--session-token goes with --nats-subject or --nats-stream")
	case !s.given():
		return nil
	case servers == "":
		return commandline.Errorf("--nats-subject and --nats-stream need the NATS server to record from: --nats nats://host:4222")
	case frameClock:
		return commandline.Errorf("--clock frame is for files: messages of NATS have the times at which they arrived")
	case s.SessionToken < 0:
		return commandline.Errorf("--session-token %d: it is the number of a part of the subject, from 1",
			s.SessionToken)
	case s.NATSStreams < 1:
		return commandline.Errorf("--nats-open-subjects %d: it must be at least 1", s.NATSStreams)
	case s.NATSIdle < time.Second:
		return commandline.Errorf("--nats-idle %v: it must be at least 1s", s.NATSIdle)
	}
	if s.NATSSubject != "" {
		if err := natstap.CheckSubject(s.NATSSubject); err != nil {
			return commandline.Errorf("--nats-subject %q: %w", s.NATSSubject, err)
		}
	}
	return client.CheckNATS(servers)
}

// recordNATS records NATS messages until the user interrupts.
func (c *recordCommand) recordNATS(ctx context.Context, g *global, out *outlet.Outlet, rec *ingest.Recorder, so ingest.StreamOptions) error {
	connect, err := c.ConnectOptions(stderrLog())
	if err != nil {
		return err
	}
	home := ""
	if c.NATSStream != "" {
		if home, err = outlet.NATSHome(); err != nil {
			return err
		}
	}
	var keep []string
	if c.SessionHeader != "" {
		keep = []string{c.SessionHeader}
	}
	began := time.Now()
	res, err := natstap.Record(ctx, rec, so, natstap.Options{
		Servers: c.NATS, Connect: connect, Subject: c.NATSSubject, Queue: c.NATSQueue, Stream: c.NATSStream, Consumer: c.NATSConsumer,
		New: c.NATSNew, SessionHeader: c.SessionHeader, SessionToken: c.SessionToken, Streams: c.NATSStreams, Idle: c.NATSIdle,
		FrameLimit: c.FrameLimit, StateDir: home,
		Headers: redact.NewByName(nil, keep, !rec.Redacts()), Log: stderrLog(),
	})
	took := time.Since(began)
	if err != nil {
		err = errors.Join(err, out.Leftovers())
	} else {
		err = drain(context.WithoutCancel(ctx), out)
	}
	waiting := knownrecordings.Waiting{}
	if err != nil && g.JSON {
		err = errors.Join(err, c.reportNATS(g, &res, err, took, &waiting))
	}
	if err != nil {
		return err
	}
	if res.Frames > 0 {
		waiting = c.waitReadable(ctx, g, "")
	}
	if err := c.reportNATS(g, &res, nil, took, &waiting); err != nil {
		return err
	}
	return c.reportWaiting(g, &waiting)
}

// reportNATS prints the result of recordNATS, or of a recording that failed.
func (c *recordCommand) reportNATS(g *global, r *natstap.Result, failed error, took time.Duration, waiting *knownrecordings.Waiting) error {
	if !g.JSON {
		printers.NATSRecording(os.Stderr, r, took)
		return nil
	}
	c.reported = true
	result := struct {
		*natstap.Result
		Error   string                   `json:"error,omitempty"`
		Waiting *knownrecordings.Waiting `json:"unreadable"`
	}{r, "", waiting}
	if failed != nil {
		result.Error = failed.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
