package main

import (
	"log/slog"
	"os"
)

// logFlags set the level and the form of a server's log.
type logFlags struct {
	LogLevel string `help:"What to log: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" env:"TAPEDECK_LOG_LEVEL"`
	LogJSON  bool   `help:"Log as JSON lines." env:"TAPEDECK_LOG_JSON"`
}

// logger writes to standard error.
func (f *logFlags) logger() *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo // kong has checked the name
	}
	opts := &slog.HandlerOptions{Level: level}
	if f.LogJSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}

// stderrLog returns a logger for commands with text output, at level warn.
func stderrLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
