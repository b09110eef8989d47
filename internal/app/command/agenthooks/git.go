package agenthooks

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"
)

// gitWait is how long Tags waits for git.
const gitWait = 5 * time.Second

// Tags returns the tags of a folder: repository, branch and commit, as far as git knows them. Without
// git, or outside a repository, there are none.
func Tags(ctx context.Context, folder string) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, gitWait)
	defer cancel()
	ask := func(args ...string) string {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }) // of a repository that started the agent
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if err != nil {
			return "" // no repository, no remote, no commit, no branch
		}
		return strings.TrimSpace(string(out))
	}
	tags := map[string]string{}
	if folder == "" {
		return tags
	}
	repository := repositoryOf(ask("remote", "get-url", "origin"))
	if repository == "" {
		if top := ask("rev-parse", "--show-toplevel"); top != "" {
			repository = path.Base(top)
		}
	}
	for name, value := range map[string]string{
		"repository": repository, "branch": ask("symbolic-ref", "--short", "HEAD"), "commit": ask("rev-parse", "HEAD"),
	} {
		if value != "" {
			tags[name] = value
		}
	}
	return tags
}

// repositoryOf returns HOST/PATH of a remote's address, without credentials: of
// https://user:secret@host/a/b.git and of git@host:a/b.git it is host/a/b. Of a folder it is the last
// name.
func repositoryOf(remote string) string {
	remote = strings.TrimSuffix(strings.TrimSuffix(remote, "/"), ".git")
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		return u.Hostname() + u.Path
	}
	if strings.Contains(remote, "://") {
		return "" // an address that cannot be read may have credentials anywhere
	}
	if host, rest, is := strings.Cut(remote, ":"); is && !strings.Contains(host, "/") {
		return host[strings.LastIndexByte(host, '@')+1:] + "/" + strings.TrimPrefix(rest, "/")
	}
	if remote == "" {
		return ""
	}
	return path.Base(remote)
}
