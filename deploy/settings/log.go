package settings

import (
	"log/slog"
	"os"
)

// Log sets the level and the form of a server's log.
type Log struct {
	LogLevel string `help:"What to log: debug, info, warn or error." enum:"debug,info,warn,error" default:"info" reload:"yes" env:"TAPEDECK_LOG_LEVEL"`
	LogJSON  bool   `help:"Log as JSON lines." env:"TAPEDECK_LOG_JSON"`
}

// Level returns the level.
func (f *Log) Level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return slog.LevelInfo // kong has checked the name
	}
	return level
}

// Logger returns a logger that writes to standard error.
func (f *Log) Logger() *slog.Logger { return f.LoggerAt(f.Level()) }

// LoggerAt returns such a logger with a level of its own, which may change.
func (f *Log) LoggerAt(level slog.Leveler) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if f.LogJSON {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}
