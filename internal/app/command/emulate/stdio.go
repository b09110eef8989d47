package emulate

import (
	"context"
	"errors"
	"io"
	"net/http"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/app/command/tapecopy"
	"tapedeck/internal/commandline"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/stdio"
)

// Stdio plays the recorded agent of a session to the client that writes to in and reads from out. It
// returns the exit code of the process.
func Stdio(ctx context.Context, o Options, in io.Reader, out io.Writer) (exit int, err error) {
	pacing, err := o.stdioPacing()
	if err != nil {
		return 0, err
	}
	rec, err := o.readStdio(ctx)
	if err != nil {
		return 0, err
	}
	return rec.Serve(ctx, in, out, stdio.Options{Pacing: pacing, Log: o.Log})
}

// stdioPacing returns the settings, of which some do not go with a client over standard input.
func (o *Options) stdioPacing() (p emulate.Pacing, err error) {
	switch {
	case o.From != "":
		return p, commandline.Errorf("--from does not go with stdio: a client begins with the first message")
	case o.Dialect != "":
		return p, commandline.Errorf("--dialect does not go with stdio: it plays what \"tapedeck record --stdio\" recorded")
	case isFile(o.Name) && !play.IsTape(o.Name):
		return p, commandline.Errorf("stdio plays a session or a tape file: lines of a file have no directions")
	case o.Session != "" && !play.IsTape(o.Name):
		return p, commandline.Errorf("--session goes with a tape file, and %q is none", o.Name)
	case o.Name == "":
		return p, commandline.Errorf("name a session: \"tapedeck sessions\" lists those there are")
	}
	if err := o.check(); err != nil {
		return p, err
	}
	_, err = p.SplitSession(o.prefix("any", "")[len("/emulate/"):])
	return p, err
}

// readStdio reads the session of a server or of a tape file.
func (o *Options) readStdio(ctx context.Context) (*stdio.Recording, error) {
	f, done, err := tapecopy.Open(ctx, o.Name, o.Server)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.Break(); err != nil {
		o.Log.Warn("emulate: the tape file ends early", "file", o.Name, "error", err)
	}
	session, err := play.OneSession(f, o.Name, o.Session)
	if err != nil {
		return nil, err
	}
	t, err := f.Tape(ctx, ingest.DefaultTenant, session)
	if err != nil {
		return nil, err
	}
	rec, err := stdio.Read(ctx, t, session)
	if errors.Is(err, stdio.ErrOneWay) {
		return nil, &apiclient.Error{
			Title: "No client recorded", Status: http.StatusConflict,
			Detail: "Session \"" + session + "\" has no messages of a client over standard input.",
			Hint:   "\"tapedeck record --stdio -- CMD\" records both directions.",
		}
	}
	return rec, err
}
