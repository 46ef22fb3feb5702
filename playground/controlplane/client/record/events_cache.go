package record

import (
	"encoding/json"
	"strings"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/sim"
)

// Defaults. Upstream: client-go/tools/record/events_cache.go.
const (
	maxLruCacheEntries       = 4096
	defaultAggregateMax      = 10
	defaultAggregateInterval = 10 * time.Minute
	defaultSpamBurst         = 25
	defaultSpamRefill        = 5 * time.Minute // one token
)

// getEventKey is the same for two events that say the same.
func getEventKey(e *corev1.Event) string {
	return strings.Join([]string{sourceKey(e), e.InvolvedObject.FieldPath, e.Type, e.Reason, e.Message}, "\x00")
}

// getSpamKey is the same for two events of one source about one object.
func getSpamKey(e *corev1.Event) string { return sourceKey(e) }

// aggregateKey is the same for two events that differ only in their message.
func aggregateKey(e *corev1.Event) string {
	return strings.Join([]string{sourceKey(e), e.Type, e.Reason, e.ReportingController, e.ReportingInstance}, "\x00")
}

func sourceKey(e *corev1.Event) string {
	o := &e.InvolvedObject
	return strings.Join([]string{e.Source.Component, e.Source.Host, o.Kind, o.Namespace, o.Name, string(o.UID), o.APIVersion}, "\x00")
}

// EventCorrelateResult says what is to be done with an event.
type EventCorrelateResult struct {
	Event *corev1.Event
	// Patch, when there is one, changes the Event that is there already.
	Patch []byte
	Skip  bool
}

// EventCorrelator aggregates, counts and filters events; see the package comment.
type EventCorrelator struct {
	kernel     *sim.Kernel
	aggregates *lru[aggregateRecord]
	log        *lru[eventLog]
	spam       *lru[spamRecord]
	lastName   time.Time
}

// aggregateRecord is what is known of events that differ only in their message.
type aggregateRecord struct {
	localKeys []string // the messages, oldest first, fewer than defaultAggregateMax
	last      time.Time
}

// eventLog is what is known of an Event that was written.
type eventLog struct {
	count          int32
	firstTimestamp metav1.Time
	name           string
}

// spamRecord is a token bucket whose tokens are counted in time: see
// workqueue's typedBucketRateLimiter.
type spamRecord struct {
	credit time.Duration
	at     time.Duration
}

// NewEventCorrelator returns a correlator with upstream's defaults.
func NewEventCorrelator(k *sim.Kernel) *EventCorrelator {
	return &EventCorrelator{
		kernel:     k,
		aggregates: newLRU[aggregateRecord](maxLruCacheEntries),
		log:        newLRU[eventLog](maxLruCacheEntries),
		spam:       newLRU[spamRecord](maxLruCacheEntries),
	}
}

// EventCorrelate says what is to be done with an event.
func (c *EventCorrelator) EventCorrelate(event *corev1.Event) EventCorrelateResult {
	aggregated, key := c.aggregate(event)
	observed, patch := c.observe(aggregated, key)
	if c.isSpam(observed) {
		return EventCorrelateResult{Skip: true}
	}
	return EventCorrelateResult{Event: observed, Patch: patch}
}

// UpdateState remembers what the server has.
func (c *EventCorrelator) UpdateState(event *corev1.Event) {
	c.log.add(getEventKey(event), eventLog{event.Count, event.FirstTimestamp, event.Name})
}

// aggregate returns the event, or the one that stands for it and its like, and
// the key under which it is counted. Upstream: EventAggregator.EventAggregate.
func (c *EventCorrelator) aggregate(event *corev1.Event) (*corev1.Event, string) {
	now := c.kernel.Time()
	key := aggregateKey(event)
	record, found := c.aggregates.get(key)
	if !found || now.Sub(record.last) > defaultAggregateInterval {
		record = aggregateRecord{}
	}
	record.last = now
	known := false
	for _, message := range record.localKeys {
		known = known || message == event.Message
	}
	if !known {
		record.localKeys = append(record.localKeys, event.Message)
	}
	if len(record.localKeys) < defaultAggregateMax {
		c.aggregates.add(key, record)
		return event, getEventKey(event)
	}
	record.localKeys = record.localKeys[1:] // upstream drops any of them
	c.aggregates.add(key, record)
	combined := event.DeepCopy()
	combined.Name = UniqueName(c.kernel, &c.lastName, event.InvolvedObject.Name)
	combined.Annotations = nil
	combined.Message = "(combined from similar events): " + event.Message
	return combined, key
}

// observe counts the event. When it was written before, it returns the patch
// that says so. Upstream: eventLogger.eventObserve.
func (c *EventCorrelator) observe(event *corev1.Event, key string) (*corev1.Event, []byte) {
	var patch []byte
	if last, found := c.log.get(key); found && last.count > 0 {
		event = event.DeepCopy()
		event.Name = last.name
		event.FirstTimestamp = last.firstTimestamp
		event.Count = last.count + 1
		patch, _ = json.Marshal(struct {
			Count         int32       `json:"count"`
			LastTimestamp metav1.Time `json:"lastTimestamp"`
			Message       string      `json:"message,omitempty"`
		}{event.Count, event.LastTimestamp, event.Message})
	}
	c.log.add(key, eventLog{event.Count, event.FirstTimestamp, event.Name})
	return event, patch
}

// isSpam takes a token from the bucket of the event's source and object.
// Upstream: EventSourceObjectSpamFilter.Filter.
func (c *EventCorrelator) isSpam(event *corev1.Event) bool {
	const full = defaultSpamBurst * defaultSpamRefill
	now := c.kernel.Elapsed()
	record, found := c.spam.get(getSpamKey(event))
	if !found {
		record = spamRecord{credit: full, at: now}
	}
	record.credit = min(full, record.credit+now-record.at)
	record.at = now
	spam := record.credit < defaultSpamRefill
	if !spam {
		record.credit -= defaultSpamRefill
	}
	c.spam.add(getSpamKey(event), record)
	return spam
}
