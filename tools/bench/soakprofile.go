package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// profileMemory writes a profile of the server's heap to half.heap in the middle of a soak, and one
// to end.heap when stop is called: "go tool pprof -base half.heap end.heap" shows what has grown.
func (s *soak) profileMemory(ctx context.Context) (stop func() error) {
	if s.Profiles == "" {
		return func() error { return nil }
	}
	half := make(chan error, 1)
	timer := time.AfterFunc(s.For/2, func() { half <- s.profile(ctx, "half.heap") })
	return func() error {
		if timer.Stop() {
			half <- nil // the soak ended earlier
		}
		if err := <-half; err != nil {
			return err
		}
		return s.profile(ctx, "end.heap")
	}
}

// profile writes a profile of the server's heap after a garbage collection.
func (s *soak) profile(ctx context.Context, name string) error {
	res, err := get(ctx, http.DefaultClient, s.server.url+"/debug/pprof/heap?gc=1", "")
	if err != nil {
		return fmt.Errorf("profile of the server's heap: %w", err)
	}
	defer res.Body.Close()
	f, err := os.Create(filepath.Join(s.Profiles, name))
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.Copy(f, res.Body); err != nil {
		return fmt.Errorf("write %s: %w", f.Name(), err)
	}
	return nil
}
