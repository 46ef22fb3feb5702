// Package cronjob is the CronJob controller: it creates a Job whenever a schedule
// says so.
//
// It keeps no timers: a sync that has nothing to do puts its key back into the
// queue for the next scheduled time and 100 ms. A Job's name is made of the minute for
// which it was scheduled, so that the same run cannot be started twice, whatever
// the controller has forgotten. When several times were missed, only the latest is
// made up for.
//
// Schedules are read by api/cron; time zones are UTC and a table there.
//
// Absent: metrics.
//
// Upstream: pkg/controller/cronjob.
package cronjob
