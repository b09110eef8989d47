package main

import (
	"log/slog"
	"os"
)

// stderrLog returns a logger for commands with text output, at level warn.
func stderrLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
