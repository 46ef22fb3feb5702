package cri

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
)

// apiServer is an extension API server: it answers for a group behind the aggregation layer.
type apiServer interface {
	// serve is a code of HTTP and a body of JSON. uid makes a new object's.
	serve(now time.Time, request Request, uid func() string) (status int, body string)
}

// clockAPI serves clock.example.com/v1. Its Times are computed when somebody asks, and stored nowhere. Its Alarms are in its memory,
// and gone with it.
//
// Simplified: who asks is believed to be whom the header names, and may do everything: a real one checks the certificate of who
// sends the header, and asks the API server with a SubjectAccessReview. There are no watches, no updates and no selectors.
// Upstream: k8s.io/sample-apiserver, for its form.
type clockAPI struct {
	alarms   []*alarm // by namespace and name
	revision int64
}

const clockGroupVersion = "clock.example.com/v1"

// zone is where a clock is.
type zone struct {
	name, zone string
	offset     time.Duration
}

// zones are the Times that there are, by name. None of them has summer time.
var zones = []zone{{"delhi", "Asia/Kolkata", 5*time.Hour + 30*time.Minute}, {"tokyo", "Asia/Tokyo", 9 * time.Hour}, {"utc", "UTC", 0}}

// clockTime and alarm are the kinds.
type clockTime struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Status     struct {
		Zone string `json:"zone"`
		Time string `json:"time"`
	} `json:"status"`
}

type alarm struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       struct {
		Zone string `json:"zone"`
		At   string `json:"at"` // "07:00"
	} `json:"spec"`
	Status struct {
		SetBy   string `json:"setBy,omitempty"`
		RingsIn string `json:"ringsIn,omitempty"` // computed
	} `json:"status"`
}

// clockColumns are the columns of each resource's table.
var clockColumns = map[string][]string{"times": {"Name", "Zone", "Time"}, "alarms": {"Name", "Zone", "At", "Rings In"}}

func (c *clockAPI) serve(now time.Time, request Request, uid func() string) (int, string) {
	at := apiPathOf(request.URL)
	if at == nil || at.group+"/"+at.version != clockGroupVersion {
		return nowhere()
	}
	method := request.Method
	switch {
	case at.resource == "":
		return 200, encoded(clockResources)
	case at.resource != "times" && at.resource != "alarms":
		return nowhere()
	case method == "GET" && strings.Contains(request.URL, "watch=true"):
		return refused(apierrors.NewMethodNotSupported(at.groupResource(), "watch"))
	case method == "GET":
		return c.read(now, at, asksForTable(request.Header))
	case at.resource == "alarms" && method == "POST" && at.name == "":
		return c.create(now, at, request, uid)
	case at.resource == "alarms" && method == "DELETE":
		return c.delete(at)
	}
	verbs := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
	return refused(apierrors.NewMethodNotSupported(at.groupResource(), verbs[method]))
}

// clockResources are what it has.
var clockResources = resourceList(clockGroupVersion,
	apiResource("alarms", "alarm", "Alarm", true, "create", "delete", "deletecollection", "get", "list"),
	apiResource("times", "time", "Time", false, "get", "list"))

// read answers a get, or a list if there is no name.
func (c *clockAPI) read(now time.Time, at *apiPath, asTable bool) (int, string) {
	items, rows := []any{}, []tableRow{}
	add := func(object any, meta *metav1.ObjectMeta, cells ...string) {
		items = append(items, object)
		rows = append(rows, tableRow{meta, append([]string{meta.Name}, cells...)})
	}
	kind := "Time"
	if at.resource == "times" {
		for _, z := range zones {
			if at.name == "" || at.name == z.name {
				t := clockTime{APIVersion: clockGroupVersion, Kind: "Time", Metadata: metav1.ObjectMeta{Name: z.name}}
				t.Status.Zone, t.Status.Time = z.zone, now.UTC().Add(z.offset).Format("15:04:05")
				add(t, &t.Metadata, t.Status.Zone, t.Status.Time)
			}
		}
	} else {
		kind = "Alarm"
		for _, a := range c.alarms {
			if (at.namespace == "" || a.Metadata.Namespace == at.namespace) && (at.name == "" || at.name == a.Metadata.Name) {
				now := a.at(now)
				add(now, &now.Metadata, now.Spec.Zone, now.Spec.At, now.Status.RingsIn)
			}
		}
	}
	switch {
	case at.name != "" && len(items) == 0:
		return refused(apierrors.NewNotFound(at.groupResource(), at.name))
	case asTable:
		return 200, encoded(table(struct{}{}, clockColumns[at.resource], rows))
	case at.name != "":
		return 200, encoded(items[0])
	}
	return 200, encoded(map[string]any{"kind": kind + "List", "apiVersion": clockGroupVersion,
		"metadata": map[string]any{"resourceVersion": strconv.FormatInt(c.revision, 10)}, "items": items})
}

// at is the alarm with what only this moment can tell.
func (a *alarm) at(now time.Time) alarm {
	out := *a
	for _, z := range zones {
		if at, err := time.Parse("15:04", a.Spec.At); err == nil && z.name == a.Spec.Zone {
			there := now.UTC().Add(z.offset)
			rings := time.Date(there.Year(), there.Month(), there.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
			if rings.Before(there) {
				rings = rings.AddDate(0, 0, 1)
			}
			out.Status.RingsIn = rings.Sub(there).Truncate(time.Minute).String()
			out.Status.RingsIn = strings.TrimSuffix(out.Status.RingsIn, "0s")
		}
	}
	return out
}

func (c *clockAPI) create(now time.Time, at *apiPath, request Request, uid func() string) (int, string) {
	a := &alarm{}
	if err := json.Unmarshal([]byte(request.Body), a); err != nil {
		return refused(apierrors.NewBadRequest("the object provided is unrecognized: " + err.Error()))
	}
	a.APIVersion, a.Kind = clockGroupVersion, "Alarm"
	_, err := time.Parse("15:04", a.Spec.At)
	known := slices.ContainsFunc(zones, func(z zone) bool { return z.name == a.Spec.Zone })
	switch {
	case a.Metadata.Name == "" || at.namespace == "":
		return refused(apierrors.NewBadRequest("name and namespace must be provided"))
	case !known || err != nil:
		return refused(&apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: 422, Reason: metav1.StatusReasonInvalid,
			Message: fmt.Sprintf("Alarm.clock.example.com %q is invalid: spec: write a zone (delhi, tokyo, utc) and a time: {zone: tokyo, at: %q}",
				a.Metadata.Name, "07:00"),
			Details: &metav1.StatusDetails{Name: a.Metadata.Name, Group: at.group, Kind: at.resource}}})
	}
	i, found := slices.BinarySearchFunc(c.alarms, at.namespace+"/"+a.Metadata.Name, func(b *alarm, key string) int {
		return strings.Compare(b.Metadata.Namespace+"/"+b.Metadata.Name, key)
	})
	if found {
		return refused(apierrors.NewAlreadyExists(at.groupResource(), a.Metadata.Name))
	}
	c.revision++
	a.Metadata = metav1.ObjectMeta{Name: a.Metadata.Name, Namespace: at.namespace, UID: types.UID(uid()), ResourceVersion: strconv.FormatInt(c.revision, 10),
		CreationTimestamp: metav1.NewTime(now).Rfc3339Copy(), Labels: a.Metadata.Labels, Annotations: a.Metadata.Annotations}
	if user := request.Header["X-Remote-User"]; len(user) > 0 {
		a.Status.SetBy = user[0]
	}
	c.alarms = slices.Insert(c.alarms, i, a)
	return 201, encoded(a.at(now))
}

// delete takes an alarm away, or all of a namespace.
func (c *clockAPI) delete(at *apiPath) (int, string) {
	before := len(c.alarms)
	c.alarms = slices.DeleteFunc(c.alarms, func(a *alarm) bool {
		return a.Metadata.Namespace == at.namespace && (at.name == "" || at.name == a.Metadata.Name)
	})
	if at.name != "" && len(c.alarms) == before {
		return refused(apierrors.NewNotFound(at.groupResource(), at.name))
	}
	c.revision++
	return deleted(at.groupResource(), at.name, "")
}
