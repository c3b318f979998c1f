-- Begins a guarded call, in one atomic step. docs/reference/redis.md describes the value.
-- KEYS[1] the entry; ARGV: owner, payload hash or "-", lease in ms, ttl in ms
-- Returns 0 (entered), 1 (entered, taken over from an owner that vanished), or {value, now} (not entered).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local value = redis.call('GET', KEYS[1])
local payload = ARGV[2]
local takenOver = 0
if value then
  local state, owner, stored, lease = string.match(value, '^1 ([a-z_]+) (%x+) (%S+) %d+ %d+ (%d+) ')
  if not state then
    return redis.error_reply('SEMELVALUE not an entry of this version')
  end
  -- The payload is compared first, in every state.
  if stored ~= '-' and payload ~= '-' and stored ~= payload then
    return {value, now}
  end
  if state == 'success' then
    return {value, now}
  end
  if state == 'in_progress' and owner ~= ARGV[1] then
    if now < tonumber(lease) then
      return {value, now}
    end
    takenOver = 1
  end
  if payload == '-' then
    payload = stored
  end
end
local lease = now + ARGV[3]
local expires = string.format('%.0f', lease + ARGV[4])
redis.call('SET', KEYS[1], '1 in_progress ' .. ARGV[1] .. ' ' .. payload
  .. string.format(' %.0f %.0f %.0f ', now, now, lease) .. expires .. ' -', 'PXAT', expires)
return takenOver
