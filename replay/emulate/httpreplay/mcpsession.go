package httpreplay

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"
)

// mcpSession is the header field with the session id of an MCP client. Recorded values of the field
// are masked.
const mcpSession = "Mcp-Session-Id"

// mcpSessions holds the ids that emulated MCP servers have assigned to clients. It is bounded: the
// least recently used id is dropped first, and its client has to initialize again.
type mcpSessions struct {
	mu   sync.Mutex // guards used
	used map[mcpKey]time.Time
}

type mcpKey struct{ tenant, session, take, id string }

// mcpSessionLimit bounds the ids in memory.
const mcpSessionLimit = 4096

// begin assigns a new id.
func (m *mcpSessions) begin(tenant, session, take string) string {
	id := rand.Text()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used == nil {
		m.used = map[mcpKey]time.Time{}
	}
	if len(m.used) >= mcpSessionLimit {
		var oldest mcpKey
		var at time.Time
		for k, used := range m.used {
			if at.IsZero() || used.Before(at) {
				oldest, at = k, used
			}
		}
		delete(m.used, oldest)
	}
	m.used[mcpKey{tenant, session, take, id}] = time.Now()
	return id
}

// known reports whether an id was assigned and its session has not ended.
func (m *mcpSessions) known(tenant, session, take, id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := mcpKey{tenant, session, take, id}
	_, ok := m.used[k]
	if ok {
		m.used[k] = time.Now()
	}
	return ok
}

// end removes an id.
func (m *mcpSessions) end(tenant, session, take, id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.used, mcpKey{tenant, session, take, id})
}

// mcpAnswer handles the session id of a request to an MCP server. It returns the status with which
// the request is answered at once, or 0 if a recorded answer is to be played.
func (s *Server) mcpAnswer(r *http.Request, b *index, tenant, session, take, path string, recorded bool) int {
	id := r.Header.Get(mcpSession)
	switch {
	case id == "" || !b.mcp[path]:
		return 0
	case !s.mcp.known(tenant, session, take, id):
		return http.StatusNotFound
	case r.Method == http.MethodDelete && !recorded:
		s.mcp.end(tenant, session, take, id)
		return http.StatusNoContent
	}
	return 0
}
