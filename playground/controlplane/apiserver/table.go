package apiserver

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/apiserver/printers"
	"kubewalk/playground/controlplane/client"
)

// asTable is an answer as a client wants it that asked for a table. What is no
// object, as a Status, stays what it is.
// Upstream: endpoints/handlers/response.go, asTable.
func asTable(result client.Result, now time.Time) client.Result {
	switch r := result.(type) {
	case api.List:
		return printers.TableOfList(r, now)
	case api.Object:
		return printers.TableOf(r, now)
	}
	return result
}
