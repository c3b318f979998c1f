-- Renews, finishes or fails a hold, in one atomic step and only for its owner. docs/reference/redis.md describes the value.
-- KEYS[1] the entry; ARGV: owner, the state to reach ("in_progress" renews), lease in ms, ttl in ms, "-" or "=" and a text
-- Returns 1 (applied, now or before) or 0 (stale).
local value = redis.call('GET', KEYS[1])
if not value then
  return 0
end
local state, owner, payload, began, changed = string.match(value, '^1 ([a-z_]+) (%x+) (%S+) (%d+) (%d+) ')
if not state then
  return redis.error_reply('SEMELVALUE not an entry of this version')
end
if owner ~= ARGV[1] then
  return 0
end
if state ~= 'in_progress' then
  return state == ARGV[2] and 1 or 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = 0
local expires = now + ARGV[4]
if ARGV[2] == 'in_progress' then
  lease = now + ARGV[3]
  expires = lease + ARGV[4]
else
  changed = string.format('%.0f', now)
end
expires = string.format('%.0f', expires)
redis.call('SET', KEYS[1], '1 ' .. ARGV[2] .. ' ' .. owner .. ' ' .. payload .. ' ' .. began .. ' ' .. changed
  .. string.format(' %.0f ', lease) .. expires .. ' ' .. ARGV[5], 'PXAT', expires)
return 1
