package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/controlplane/scheduler"
	"kubewalk/playground/trace"
)

// KubeSchedulerProfile is a scheduler's profile, for who reads a configuration.
type KubeSchedulerProfile = scheduler.KubeSchedulerProfile

// Reconfigure is the input that writes other profiles into the schedulers'
// configuration and restarts them: Profiles. An empty list is the default one.
const Reconfigure Kind = "reconfigure"

// restartTakes is how long a scheduler is away when its configuration changes.
// In a real control plane its kubelet sees a static Pod that has changed.
const restartTakes = time.Second

var _ = register(Reconfigure, action{
	validate: func(in Input) error {
		if len(in.Profiles) == 0 {
			return fmt.Errorf("input %q: needs profiles", in.Kind)
		}
		if _, err := ParseProfiles(in.Profiles); err != nil {
			return fmt.Errorf("input %q: %w", in.Kind, err)
		}
		return nil
	},
	attrs: func(in Input) []trace.Attr { return given("profiles", string(compact(in.Profiles))) },
	do:    (*Cluster).reconfigure,
})

// ParseProfiles reads a JSON list of profiles, as they stand in a
// KubeSchedulerConfiguration, strictly, and tells with what kube-scheduler
// would refuse them. What is no JSON is a *json.SyntaxError.
func ParseProfiles(text []byte) ([]scheduler.KubeSchedulerProfile, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, err
		}
		return nil, errors.New("profiles are a list: [{\"schedulerName\": \"default-scheduler\"}]")
	}
	profiles := make([]scheduler.KubeSchedulerProfile, len(list))
	for i, item := range list {
		strict, err := api.DecodeInto(item, &profiles[i])
		if err == nil && strict != nil {
			err = strict
		}
		if err != nil {
			return nil, fmt.Errorf("profiles[%d]: %w", i, err)
		}
	}
	if len(profiles) == 0 {
		return nil, nil
	}
	return profiles, scheduler.Validate(profiles, outOfTree)
}

// reconfigure restarts the schedulers that run. One that is down has the new
// profiles when it is started.
func (c *Cluster) reconfigure(i int) {
	c.results[i].Done = true
	profiles, _ := ParseProfiles(c.results[i].Input.Profiles) // validated, but for the plugins that these schedulers are built with
	if err := scheduler.Validate(profiles, c.config.schedulerPlugins()); err != nil {
		c.results[i].Error = err.Error()
		return
	}
	c.config.SchedulerProfiles = profiles
	c.restartSchedulers()
}

// restartSchedulers has those that run read what they are configured to do anew.
func (c *Cluster) restartSchedulers() {
	for _, name := range c.config.schedulers() {
		p := c.byName[name]
		if !p.running() {
			continue
		}
		p.stop("its configuration has changed")
		c.kernel.After(restartTakes, func() {
			if !p.running() { // an input may have been faster
				must(p.start())
			}
		})
	}
}
