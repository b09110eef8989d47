// Package queryhttp puts the handlers of all questions together; the server mounts them.
// Each handler is in the package of its question.
package queryhttp
