// Package githubaction holds the GitHub Action that checks conditions on recordings. Its test runs
// the shell step of the action.
package githubaction
