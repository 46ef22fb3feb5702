package apiserver

import (
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/apiserver/printers"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
)

// asTable is an answer as a client wants it that asked for a table. What is no
// object, as a Status, stays what it is.
// Upstream: endpoints/handlers/response.go, asTable.
func asTable(e *registry.Store, result client.Result, now time.Time) client.Result {
	switch r := result.(type) {
	case *api.UnstructuredList:
		t := e.Custom.Table(r.Items, now)
		t.ListMeta = r.ListMeta
		return t
	case *api.Unstructured:
		t := e.Custom.Table([]api.Object{r}, now)
		t.ResourceVersion = r.ResourceVersion
		return t
	case api.List:
		return printers.TableOfList(r, now)
	case api.Object:
		return printers.TableOf(r, now)
	}
	return result
}
