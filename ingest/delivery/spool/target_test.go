package spool

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Blocks are sent to the server that they were recorded for, with the tenant or the token of their
// sender. A directory without blocks takes another target.
func TestTarget(t *testing.T) {
	offline := Target{Server: "http://a", Token: "1"} // the tenant is not known yet
	known := Target{Server: "http://a", Tenant: "acme", Token: "1"}
	for name, tc := range map[string]struct {
		holds, asked Target
		sent         bool
	}{
		"the same":                         {known, known, true},
		"another server":                   {known, Target{Server: "http://b", Tenant: "acme", Token: "1"}, false},
		"the tenant is known by now":       {offline, known, true},
		"a new token of the tenant":        {known, Target{Server: "http://a", Tenant: "acme", Token: "2"}, true},
		"another tenant":                   {known, Target{Server: "http://a", Tenant: "other", Token: "2"}, false},
		"another token, and no tenant":     {offline, Target{Server: "http://a", Tenant: "acme", Token: "2"}, false},
		"a server without tokens":          {Target{Server: "http://a"}, Target{Server: "http://a"}, true},
		"tokens were introduced meanwhile": {Target{Server: "http://a"}, known, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := openAt(t, Options{Dir: dir, Target: &Target{Server: "http://none"}, Next: &fakeNext{}})
			closeNow(t, s) // an empty spool of another target
			s = openAt(t, Options{Dir: dir, Target: &tc.holds, Next: &fakeNext{refuse: errDown}})
			closeNow(t, s)
			write(t, segmentPath(dir, 0, pendingSuffix), segmentOf(0, 3))
			next := &fakeNext{}
			s, err := Open(Options{Dir: dir, Target: &tc.asked, Next: next})
			var other *TargetError
			if errors.As(err, &other) == tc.sent {
				t.Fatalf("%v", err)
			}
			if err == nil {
				drained(t, s)
				closeNow(t, s)
			} else if other.Holds != tc.holds {
				t.Errorf("holds %+v", other.Holds)
			}
			if got := len(next.delivered()); got == 3 != tc.sent {
				t.Errorf("%d blocks were sent", got)
			}
		})
	}
}

// Spools of earlier versions name no target: their blocks go to any.
func TestNoTarget(t *testing.T) {
	dir := t.TempDir()
	write(t, segmentPath(dir, 0, pendingSuffix), segmentOf(0, 3))
	next := &fakeNext{}
	s := openAt(t, Options{Dir: dir, Target: &Target{Server: "http://a"}, Next: next})
	drained(t, s)
	closeNow(t, s)
	if got := len(next.delivered()); got != 3 {
		t.Errorf("%d blocks were sent", got)
	}
}

// A target that cannot be noted, as on a full disk, keeps nobody from recording.
func TestTargetNotNoted(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, targetName), 0o700); err != nil { // in the place of the file
		t.Fatal(err)
	}
	s := openAt(t, Options{Dir: dir, Target: &Target{Server: "http://a"}, Next: &fakeNext{}})
	closeNow(t, s)
}
