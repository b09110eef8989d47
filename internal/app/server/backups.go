package server

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/app/lifecycle/backup"
)

// newBackups returns the backup service of a server with the role api.
func (s *Server) newBackups() *backup.Service {
	return backup.NewService(backup.ServiceOptions{NATS: s.Node.NATS, DB: s.Node.Work, Audit: s.Node.Audit, Version: s.Node.Version,
		Dir: s.BackupDir, Log: s.Log})
}

// backupRoutes adds the routes of backups.
func (s *Server) backupRoutes(rt *routeTable) {
	rt.add([]row{
		{operates, audit.None, getHead, "/v1/backups", nil, only(plain(func(w http.ResponseWriter, r *http.Request) { s.backups.ServeList(w, r) }))},
		{operates, audit.None, getHead, "/v1/backups/:id", nil, only(func(c echo.Context) error {
			s.backups.ServeOne(c.Response(), c.Param("id"))
			return nil
		})},
		{operates, audit.BackupCreate, post, "/v1/backups", nil, only(plain(func(w http.ResponseWriter, r *http.Request) { s.backups.ServeStart(w, r) }))},
	})
}
