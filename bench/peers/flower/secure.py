"""Flower's SecAgg+: a round of averages by its workflow and its clients' half of it, without its network: messages are copied."""
import copy

import flwr.compat.common.recorddict_compat as records
from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.client.mod import secaggplus_mod
from flwr.common.serde import recorddict_to_proto
from flwr.server import LegacyContext, ServerConfig
from flwr.server.client_manager import SimpleClientManager
from flwr.server.compat.grid_client_proxy import GridClientProxy
from flwr.server.strategy import FedAvg
from flwr.server.workflow import SecAggPlusWorkflow
from flwr.server.workflow.constant import MAIN_CONFIGS_RECORD, MAIN_PARAMS_RECORD, Key
from flwr.supercore.task_identity import TaskIdentity

TaskIdentity.run_id = TaskIdentity.node_id = TaskIdentity.task_id = 0  # of one process


class SecureAverage:
    """Every client shares keys with every other; half of the shares open a mask: Flower's defaults."""

    def __init__(self, clients):
        self.sent, self.results = 0, []
        self.contexts = [Context(0, node, {}, RecordDict(), {}) for node in range(1, clients + 1)]
        self.manager = SimpleClientManager()
        for node in range(1, clients + 1):
            self.manager.register(GridClientProxy(node, self, 0))
        self.strategy = FedAvg(min_fit_clients=clients, min_available_clients=clients)

    def counted(self, message):
        self.sent += recorddict_to_proto(message.content).ByteSize()
        return copy.deepcopy(message)

    def send_and_receive(self, messages, *, timeout=None):
        return [self.counted(secaggplus_mod(self.counted(message), self.contexts[message.metadata.dst_node_id - 1], self.train))
                for message in messages]

    def train(self, message, context):
        return Message(records.fitres_to_recorddict(self.results[context.node_id - 1], True), reply_to=message)

    def average(self, number, weights, results):
        self.results = results
        context = LegacyContext(Context(0, 0, {}, RecordDict(), {}), ServerConfig(num_rounds=1), self.strategy, self.manager)
        context.state.config_records[MAIN_CONFIGS_RECORD] = ConfigRecord({Key.CURRENT_ROUND: number})
        context.state.array_records[MAIN_PARAMS_RECORD] = records.parameters_to_arrayrecord(weights, True)
        SecAggPlusWorkflow(num_shares=1.0, reconstruction_threshold=0.5)(self, context)
        return records.arrayrecord_to_parameters(context.state.array_records[MAIN_PARAMS_RECORD], True)
