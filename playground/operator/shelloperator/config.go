package shelloperator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/cron"
	"kubewalk/playground/api/jq"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/yaml"
)

// hook is an executable file and what it wants to hear of.
// Upstream: pkg/hook/hook.go, Hook.
type hook struct {
	name, path string
	config     config
	bindings   []*binding
}

// config is what a hook prints when it is run with --config.
// Upstream: pkg/hook/config/config_v1.go, HookConfigV1.
type config struct {
	ConfigVersion string             `json:"configVersion"`
	OnStartup     *float64           `json:"onStartup"`
	Schedule      []scheduleConfig   `json:"schedule"`
	Kubernetes    []kubernetesConfig `json:"kubernetes"`
}

type scheduleConfig struct {
	Name         string `json:"name"`
	Crontab      string `json:"crontab"`
	Queue        string `json:"queue"`
	AllowFailure bool   `json:"allowFailure"`

	schedule cron.Schedule
}

type kubernetesConfig struct {
	Name                         string                `json:"name"`
	APIVersion                   string                `json:"apiVersion"`
	Kind                         string                `json:"kind"`
	ExecuteHookOnEvent           *[]string             `json:"executeHookOnEvent"`
	ExecuteHookOnSynchronization *bool                 `json:"executeHookOnSynchronization"`
	KeepFullObjectsInMemory      *bool                 `json:"keepFullObjectsInMemory"`
	NameSelector                 *names                `json:"nameSelector"`
	LabelSelector                *metav1.LabelSelector `json:"labelSelector"`
	Namespace                    *struct {
		NameSelector *names `json:"nameSelector"`
	} `json:"namespace"`
	JqFilter     string `json:"jqFilter"`
	Queue        string `json:"queue"`
	AllowFailure bool   `json:"allowFailure"`
}

type names struct {
	MatchNames []string `json:"matchNames"`
}

// The events that a binding may ask for.
const (
	added    = "Added"
	modified = "Modified"
	deleted  = "Deleted"
)

var allEvents = []string{added, modified, deleted}

// mainQueue is the queue of all hooks that ask for no other.
const mainQueue = "main"

// load reads what a hook has printed. resolve finds a kind.
// Upstream: pkg/hook/config/config.go, LoadAndValidate.
func (h *hook) load(output string, resolve func(apiVersion, kind string) *api.Kind) error {
	text, err := yaml.ToJSON(output)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&h.config); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if h.config.ConfigVersion != "v1" {
		return fmt.Errorf("'configVersion' value '%s' is unsupported", h.config.ConfigVersion)
	}
	for i := range h.config.Schedule {
		s := &h.config.Schedule[i]
		if s.Name == "" {
			s.Name = "schedule"
		}
		if s.Queue == "" {
			s.Queue = mainQueue
		}
		if s.schedule, err = cron.ParseStandard(s.Crontab); err != nil {
			return fmt.Errorf("crontab '%s' is invalid: %w", s.Crontab, err)
		}
	}
	for i := range h.config.Kubernetes {
		b, err := newBinding(&h.config.Kubernetes[i], resolve)
		if err != nil {
			return fmt.Errorf("invalid kubernetes config [%d]: %w", i, err)
		}
		h.bindings = append(h.bindings, b)
	}
	if h.config.OnStartup == nil && len(h.config.Schedule)+len(h.bindings) == 0 {
		return errors.New("no bindings")
	}
	return nil
}

func newBinding(c *kubernetesConfig, resolve func(apiVersion, kind string) *api.Kind) (*binding, error) {
	b := &binding{kubernetesConfig: c, events: allEvents, known: map[string]entry{}}
	if c.Name == "" {
		c.Name = "kubernetes"
	}
	if c.Queue == "" {
		c.Queue = mainQueue
	}
	if c.Kind == "" {
		return nil, errors.New("kind is required")
	}
	if b.kind = resolve(c.APIVersion, c.Kind); b.kind == nil {
		return nil, fmt.Errorf("apiVersion '%s', kind '%s' is not supported by cluster", c.APIVersion, c.Kind)
	}
	if c.ExecuteHookOnEvent != nil {
		b.events = *c.ExecuteHookOnEvent
	}
	for _, e := range b.events {
		if !slices.Contains(allEvents, e) {
			return nil, fmt.Errorf("executeHookOnEvent should be one of [Added Modified Deleted], not '%s'", e)
		}
	}
	b.selector = labels.Everything()
	if c.LabelSelector != nil {
		selector, err := labels.LabelSelectorAsSelector(c.LabelSelector)
		if err != nil {
			return nil, fmt.Errorf("labelSelector is invalid: %w", err)
		}
		b.selector = selector
	}
	if c.NameSelector != nil {
		b.names = c.NameSelector.MatchNames
	}
	if c.Namespace != nil && c.Namespace.NameSelector != nil {
		b.namespaces = c.Namespace.NameSelector.MatchNames
	}
	if c.JqFilter != "" {
		filter, err := jq.Parse(c.JqFilter, nil)
		if err != nil {
			return nil, fmt.Errorf("jqFilter is invalid: %w", err)
		}
		b.filter = filter
	}
	return b, nil
}

// description is what the hook wants to hear of, in a line of the log.
// Upstream: hook.go, GetConfigDescription.
func (h *hook) description() string {
	var parts []string
	if h.config.OnStartup != nil {
		parts = append(parts, fmt.Sprintf("OnStartup:%d", int64(*h.config.OnStartup)))
	}
	list := func(title string, all []string) {
		if len(all) > 0 {
			slices.Sort(all)
			parts = append(parts, title+": '"+strings.Join(slices.Compact(all), "', '")+"'")
		}
	}
	var crontabs, kinds []string
	for _, s := range h.config.Schedule {
		crontabs = append(crontabs, s.Crontab)
	}
	for _, b := range h.bindings {
		kinds = append(kinds, b.Kind)
	}
	list("Schedules", crontabs)
	list("Watch k8s kinds", kinds)
	return strings.Join(parts, ", ")
}
