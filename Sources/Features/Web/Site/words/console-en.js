// Words of the console in English. Loaded with it.
export const words = {
  "console.version": "Version {version}, up for {span}", "console.days": "{days} d {hours} h", "console.hours": "{hours} h {minutes} min", "console.forbidden": "The console needs a key with the scope admin.", "console.offline": "The gateway cannot be reached. The figures are those of before.",
  "console.requests": "Requests a second", "console.requests.of": "{total} in all, {failed} failed", "console.tokens": "Tokens a second", "console.tokens.of": "{n} generated", "console.queue": "Waiting", "console.queue.of": "{n} of {of} places in use",
  "console.memory": "Memory", "console.connections": "{n} of {of} connections", "console.upstreams": "Upstreams", "console.name": "Name", "console.state": "State", "console.healthy": "healthy", "console.unhealthy": "unhealthy", "console.running": "In flight", "console.models": "Loaded models",
  "console.keys": "Keys", "console.requests.n": "Requests", "console.refused": "Refused", "console.tokens.n": "Tokens", "console.used": "Last used", "console.jobs": "Jobs", "console.kind": "Kind", "console.done": "Done", "console.begun": "Begun", "console.message": "Message", "console.none": "None.",
  "job.running": "running", "job.done": "done", "job.failed": "failed", "job.cancelled": "cancelled", "job.interrupted": "interrupted",
};
