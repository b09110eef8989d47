package settings

import (
	"context"
	"log/slog"
	"os"
	"sync/atomic"

	"tapedeck/internal/httplog"
)

// Log sets the level and the format of a server's log.
type Log struct {
	LogLevel  string `help:"What to log: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" reload:"yes" env:"TAPEDECK_LOG_LEVEL"`
	LogFormat string `help:"Format of the log's lines: text (key=value) or json (an object for each line)." enum:"text,json" default:"text" reload:"yes" env:"TAPEDECK_LOG_FORMAT"`
}

// Logger returns a logger that writes to standard error.
func (f *Log) Logger() *slog.Logger {
	var out LogOutput
	out.Set(f)
	return out.Logger()
}

// level returns the level.
func (f *Log) level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return slog.LevelInfo // kong has checked the name
	}
	return level
}

// LogOutput is the log of a running server on standard error. Its level and format may change.
type LogOutput struct {
	level slog.LevelVar
	json  atomic.Bool
}

// Set applies settings. They also apply to existing loggers.
func (o *LogOutput) Set(f *Log) {
	o.level.Set(f.level())
	o.json.Store(f.LogFormat == "json")
}

// Logger returns a logger that writes to the output. What libraries write to the log of package log
// goes there too.
func (o *LogOutput) Logger() *slog.Logger {
	opts := &slog.HandlerOptions{Level: &o.level}
	log := slog.New(formatHandler{o, slog.NewTextHandler(os.Stderr, opts), slog.NewJSONHandler(os.Stderr, opts)})
	httplog.Capture(log)
	return log
}

// formatHandler writes each record in the current format of its output.
type formatHandler struct {
	out        *LogOutput
	text, json slog.Handler
}

func (h formatHandler) current() slog.Handler {
	if h.out.json.Load() {
		return h.json
	}
	return h.text
}

// Enabled implements slog.Handler.
func (h formatHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return h.current().Enabled(ctx, l)
}

// Handle implements slog.Handler.
func (h formatHandler) Handle(ctx context.Context, r slog.Record) error {
	return h.current().Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h formatHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return formatHandler{h.out, h.text.WithAttrs(attrs), h.json.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h formatHandler) WithGroup(name string) slog.Handler {
	return formatHandler{h.out, h.text.WithGroup(name), h.json.WithGroup(name)}
}
