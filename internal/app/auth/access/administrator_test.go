package access

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
)

// fileText returns the token in a file, "" if there is none.
func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return ""
	}
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s: mode %v, %v, %v", path, info.Mode(), err, statErr)
	}
	return strings.TrimSpace(string(text))
}

// Two servers that start at once make one token; it is made anew only if there is no other.
func TestAdministrator(t *testing.T) {
	nc, dir := localtest.NATS(t), t.TempDir()
	paths := []string{filepath.Join(dir, "a", "admin-token"), filepath.Join(dir, "b", "admin-token")}
	var stores []*Store
	for _, p := range paths {
		s, err := Open(Options{NATS: nc, AdminFile: p})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		stores = append(stores, s)
	}
	for _, s := range stores {
		<-s.Ready()
	}
	a, b := fileText(t, paths[0]), fileText(t, paths[1])
	if (a == "") == (b == "") {
		t.Fatalf("tokens %q and %q, want one", a, b)
	}
	// The server that did not make the token hears of it from the bucket.
	var list []Token
	var err error
	bounded.Until(t, "the first server knows the token", func() bool {
		list, err = stores[0].List(AllTenants)
		return err != nil || len(list) > 0
	})
	if err != nil || len(list) != 1 || list[0].Tenant != AllTenants {
		t.Fatalf("%v, %v", list, err)
	}
	if err := stores[0].try(a + b); err != nil {
		t.Errorf("the token in the file: %v", err)
	}
	third := filepath.Join(dir, "c", "admin-token")
	s := open(t, Options{NATS: nc, AdminFile: third})
	if text := fileText(t, third); text != "" {
		t.Error("a server that starts later made another one")
	}
	if _, err := s.Revoke(t.Context(), AllTenants, list[0].ID); err != nil {
		t.Fatal(err)
	}
	s = open(t, Options{NATS: nc, AdminFile: third})
	if err := s.try(fileText(t, third)); err != nil {
		t.Errorf("made anew: %v", err)
	}
}

// A server was killed between the file and the bucket: the text in the file counts.
func TestAdministratorAfterKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "admin-token")
	if err := os.WriteFile(path, []byte(known[2]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{NATS: localtest.NATS(t), AdminFile: path})
	if fileText(t, path) != known[2] || s.try(known[2]) != nil {
		t.Errorf("the file has %s: %v", fileText(t, path), s.try(known[2]))
	}
}
